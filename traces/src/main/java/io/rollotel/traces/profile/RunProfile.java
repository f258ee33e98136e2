package io.rollotel.traces.profile;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.analysis.Workers;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The spans of a run, joined with the recordings of its processes. The recordings are in memory;
 * the spans may come in parts. Not for use by several threads at once.
 */
public final class RunProfile {

  /**
   * The activity in spans.
   *
   * @param name the number of their name
   * @param process the number of their process; -1 if there are several
   */
  public record Part(int name, int process, Breakdown breakdown) {}

  /** All traces of a run, only some of which are in memory at a time. */
  public interface Traces {
    /** The result of some work on all of them, in this JVM. */
    <T> T each(RunWork<T> work);
  }

  private final RunTotals run;
  private final RecordedProcesses recorded;
  private final Traces traces;

  /** All spans of the run; null if they come in parts. */
  private final @Nullable SpanProfile spans;

  private final ProfileWork.Found rows;

  /** Created on first use. */
  private @Nullable ProfileParts whole;

  private RunProfile(
      RunTotals run, RecordedProcesses recorded, Traces traces, @Nullable SpanProfile spans) {
    this.run = run;
    this.recorded = recorded;
    this.traces = traces;
    this.spans = spans;
    this.rows = traces.each(new ProfileWork(recorded, ProfileWork.Kind.ROWS));
  }

  /**
   * The profile of a run.
   *
   * @param files the files of spans that were read: the recordings are beside them
   * @return null if there is none, or this JVM cannot read recordings
   */
  public static @Nullable RunProfile of(RunAnalysis run, List<Path> files) {
    if (!run.spans().threads().areKnown()) {
      return null;
    }
    Traces traces =
        new Traces() {
          @Override
          public <T> T each(RunWork<T> work) {
            return work.of(run);
          }
        };
    return of(run.totals(), files, traces, run);
  }

  /** The same for a run that is not in memory. */
  public static @Nullable RunProfile ofParts(RunTotals run, List<Path> files, Traces traces) {
    RunProfile profile = of(run, files, traces, null);
    return profile == null || !profile.rows.areThreadsKnown ? null : profile;
  }

  private static @Nullable RunProfile of(
      RunTotals run, List<Path> files, Traces traces, @Nullable RunAnalysis all) {
    ProfileFiles found = new ProfileFiles(files);
    if (found.isEmpty()) {
      return null;
    }
    try {
      RecordedProcesses recorded = new RecordedProcesses(run, found);
      return recorded.count() == 0
          ? null
          : new RunProfile(
              run, recorded, traces, all == null ? null : new SpanProfile(all, recorded));
    } catch (LinkageError noFlightRecorder) {
      return null;
    }
  }

  /** How many bytes the recordings of a run have, as files; 0 if this JVM cannot read them. */
  public static long bytes(RunTotals run, List<Path> files) {
    ProfileFiles found = new ProfileFiles(files);
    if (found.isEmpty()) {
      return 0;
    }
    try {
      return run.workers().all().stream()
          .map(Workers.Worker::process)
          .flatMap(process -> found.of(process, run).stream())
          .map(Path::toFile)
          .mapToLong(File::length)
          .sum();
    } catch (LinkageError noFlightRecorder) {
      return 0;
    }
  }

  /** Files that could be read only in part, and why. */
  public List<String> problems() {
    return recorded.problems();
  }

  /** How many of the run's processes have a recording. */
  public int processes() {
    return recorded.count();
  }

  /** The total number of their files. */
  public int files() {
    return recorded.files();
  }

  /** Whether a process has a recording. */
  public boolean isRecorded(int process) {
    return recorded.get(process) != null;
  }

  /** All spans of the run; null if they come in parts. */
  public @Nullable SpanProfile spans() {
    return spans;
  }

  /**
   * Some traces of the run.
   *
   * @param some whose processes have the same numbers as those of the run
   */
  public SpanProfile of(RunAnalysis some) {
    return new SpanProfile(some, recorded);
  }

  /** The activity on the critical paths, by name, the one with the most time first. */
  public List<Part> path() {
    return rows.path.sorted();
  }

  /**
   * The activity in the spans of each name in each process, without their waiting for others: the
   * one with the most time first.
   */
  public List<Part> names() {
    return rows.names.sorted();
  }

  /** Pauses of all threads of a process, by start; none overlaps another. */
  public List<Pause> pauses(int process) {
    ProcessActivity activity = recorded.get(process);
    return activity == null ? List.of() : activity.pauses(recorded.behindNanos(process));
  }

  /**
   * Why some processes take longer than the others for spans of one name.
   *
   * @return null if the recordings do not tell
   */
  public @Nullable Cause cause(int name, List<Integer> slow) {
    return Cause.of(
        whole(name, slow::contains), ofPeers(name, slow), heapPercent(name, slow::contains));
  }

  /** Those of the same services; of all others, if each process is a service of its own. */
  private Breakdown ofPeers(int name, List<Integer> slow) {
    Set<String> services = slow.stream().map(this::service).collect(Collectors.toSet());
    Breakdown peers =
        whole(name, process -> !slow.contains(process) && services.contains(service(process)));
    return peers.spans() > 0 ? peers : whole(name, process -> !slow.contains(process));
  }

  private String service(int process) {
    return run.spans().processes().get(process).serviceName();
  }

  /**
   * Why spans of one name take longer than in an earlier run.
   *
   * @return null if the recordings do not tell
   */
  public @Nullable Cause cause(String name, RunProfile before) {
    int number = run.spans().names().find(name);
    return Cause.of(
        whole(number, process -> true),
        before.whole(before.run.spans().names().find(name), process -> true),
        heapPercent(number, process -> true));
  }

  /** The activity in the whole time of the spans of a name, in some processes. */
  private Breakdown whole(int name, IntPredicate ofProcess) {
    Breakdown sum = new Breakdown(recorded.stacks);
    for (Part part : whole().all()) {
      if (part.name == name && ofProcess.test(part.process)) {
        sum.add(part.breakdown);
      }
    }
    return sum;
  }

  /** How full the largest heap of these processes was after collections; 0 if unknown. */
  private int heapPercent(int name, IntPredicate ofProcess) {
    int most = 0;
    for (Part part : whole().all()) {
      ProcessActivity activity = recorded.get(part.process);
      if (part.name == name && ofProcess.test(part.process) && activity != null) {
        most = Math.max(most, activity.heapPercent());
      }
    }
    return most;
  }

  private ProfileParts whole() {
    if (whole == null) {
      whole = traces.each(new ProfileWork(recorded, ProfileWork.Kind.WHOLE_SPANS)).whole;
    }
    return whole;
  }
}
