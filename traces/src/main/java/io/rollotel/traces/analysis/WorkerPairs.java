package io.rollotel.traces.analysis;

import io.rollotel.traces.analysis.WorkerSamples.Sample;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The workers of a later run, each beside the one of an earlier run that has its place.
 *
 * <p>Process ids, and the ids of Ray's workers, differ between runs. A worker's place is its
 * service with its rank, or otherwise with its instance, or otherwise with its host: the first of
 * these by which half of the workers, in the run that has fewer, are found again. If there is none,
 * each worker is beside the slowest of the earlier run, compared with its peers: a worker that is
 * slower than that one is one that the earlier run did not have.
 *
 * @param areMatched whether both of a pair have the same place
 */
record WorkerPairs(boolean areMatched, List<Pair> pairs) {

  /** Two workers that are compared. */
  record Pair(Sample before, Sample after) {}

  private static final List<Function<TracedProcess, String>> PLACES =
      List.of(TracedProcess::rank, TracedProcess::instanceId, TracedProcess::host);

  static WorkerPairs of(List<Sample> before, List<Sample> after) {
    int fewest = Math.min(before.size(), after.size());
    for (Function<TracedProcess, String> place : PLACES) {
      Map<List<String>, Sample> earlier = byPlace(before, place);
      List<Pair> pairs = new ArrayList<>();
      byPlace(after, place)
          .forEach(
              (key, sample) -> {
                Sample same = earlier.get(key);
                if (same != null) {
                  pairs.add(new Pair(same, sample));
                }
              });
      if (pairs.size() > 1 && 2 * pairs.size() >= fewest) {
        return new WorkerPairs(true, List.copyOf(pairs));
      }
    }
    // Of far more workers, one is slower than those few by chance.
    if (before.isEmpty() || after.size() > 2 * before.size()) {
      return new WorkerPairs(false, List.of());
    }
    Sample slowest =
        before.stream().max(Comparator.comparingLong(Sample::medianRatio)).orElseThrow();
    return new WorkerPairs(false, after.stream().map(sample -> new Pair(slowest, sample)).toList());
  }

  /** Without places that are unknown, or that several workers have. */
  private static Map<List<String>, Sample> byPlace(
      List<Sample> samples, Function<TracedProcess, String> place) {
    Map<List<String>, Sample> byPlace = new HashMap<>();
    Set<List<String>> taken = new HashSet<>();
    for (Sample sample : samples) {
      String where = place.apply(sample.process());
      List<String> key = List.of(sample.process().serviceName(), where);
      if (!where.isEmpty() && byPlace.put(key, sample) != null) {
        taken.add(key);
      }
    }
    byPlace.keySet().removeAll(taken);
    return byPlace;
  }
}
