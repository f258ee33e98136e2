package io.rollotel.traces.analysis;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One of the runs that were read.
 *
 * @param hasSteps whether any of its spans is a step, perhaps one whose span is not in the files
 * @param with the other ids that its processes gave it
 */
public record FoundRun(
    int number,
    String id,
    long startEpochNanos,
    long endEpochNanos,
    long spans,
    boolean hasSteps,
    List<String> with) {

  /** The order in which runs are listed. */
  public static final Comparator<FoundRun> LATEST_FIRST =
      Comparator.comparingLong(FoundRun::startEpochNanos).reversed().thenComparing(FoundRun::id);

  /** Whether it has this id, or a run with this id has become part of it. */
  public boolean isCalled(String runId) {
    return id.equals(runId) || with.contains(runId);
  }

  /** All ids that its processes gave it. */
  public Set<String> ids() {
    Set<String> ids = new HashSet<>(with);
    ids.add(id);
    return ids;
  }
}
