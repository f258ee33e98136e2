package io.rollotel.traces.profile;

import io.rollotel.traces.analysis.CriticalPath;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanThreads;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The spans of a run, joined with the recordings of its processes. */
public final class RunProfile {

  /**
   * What was done in spans.
   *
   * @param name the number of their name
   * @param process the number of their process; -1 where they are of several
   */
  public record Part(int name, int process, Breakdown breakdown) {}

  /** Takes stretches of time. */
  private interface StretchSink {
    void stretch(long from, long to);
  }

  private final RunAnalysis run;
  private final Spans spans;
  private final Stacks stacks = new Stacks();
  private final @Nullable ProcessActivity[] processes;

  /** For each process by how much its spans' times are behind its recording's. */
  private final long[] behindNanos;

  private final List<String> problems = new ArrayList<>();
  private int recorded;
  private int files;

  private RunProfile(RunAnalysis run, ProfileFiles found) {
    this.run = run;
    this.spans = run.spans();
    this.processes = new ProcessActivity[spans.processes().size()];
    this.behindNanos = new long[processes.length];
    for (int process : Arrays.stream(run.members()).map(spans::process).distinct().toArray()) {
      TracedProcess traced = spans.processes().get(process);
      List<Path> ofProcess = found.of(traced);
      if (!ofProcess.isEmpty()) {
        ProcessActivity activity = new ProcessActivity(stacks);
        read(ofProcess, activity);
        activity.seal();
        processes[process] = activity;
        behindNanos[process] = run.clocks().shiftNanos(traced.host()) - activity.clockNanos();
        recorded++;
      }
    }
  }

  private void read(List<Path> ofProcess, ProcessActivity activity) {
    RecordingReader reader = new RecordingReader(stacks, activity);
    for (Path file : ofProcess) {
      String problem = reader.read(file);
      files++;
      if (problem != null) {
        problems.add(file + ": " + problem);
      }
    }
  }

  /**
   * The profile of a run.
   *
   * @param traces the files of spans that were read: the recordings lie beside them
   * @return null where there is none, or where this JVM cannot read recordings
   */
  public static @Nullable RunProfile of(RunAnalysis run, List<Path> traces) {
    if (!run.spans().threads().areKnown()) {
      return null;
    }
    ProfileFiles found = new ProfileFiles(traces);
    if (found.isEmpty()) {
      return null;
    }
    try {
      RunProfile profile = new RunProfile(run, found);
      return profile.recorded == 0 ? null : profile;
    } catch (LinkageError noFlightRecorder) {
      return null;
    }
  }

  /** Files that could be read in part only, and why. */
  public List<String> problems() {
    return problems;
  }

  /** How many of the run's processes have a recording. */
  public int processes() {
    return recorded;
  }

  /** How many files they have together. */
  public int files() {
    return files;
  }

  /** How full the largest heap of a process was after collections, in percent; 0 if not known. */
  int heapPercent(int process) {
    ProcessActivity activity = processes[process];
    return activity == null ? 0 : activity.heapPercent();
  }

  /** Whether a process has a recording. */
  public boolean isRecorded(int process) {
    return processes[process] != null;
  }

  /** What was done on the critical paths: by name, the one with the most time first. */
  public List<Part> path() {
    return path(span -> true);
  }

  /** The same of some spans. */
  public List<Part> path(IntPredicate some) {
    Map<Long, Part> found = new HashMap<>();
    followPath(
        (span, isQueueWait, from, to) -> {
          if (some.test(span)) {
            between(span, from, to, part(found, spans.name(span), -1).breakdown);
          }
        });
    return sorted(found);
  }

  /** The segments of the critical paths in which spans work that are in the files. */
  private void followPath(CriticalPath.Sink sink) {
    CriticalPath.Sink ofWork =
        (span, isQueueWait, from, to) -> {
          if (span != CriticalPath.NO_SPAN && !isQueueWait && !spans.isVirtual(span)) {
            sink.segment(span, false, from, to);
          }
        };
    if (run.path().isOfRun()) {
      run.followRun(ofWork);
    } else {
      CriticalPath path = run.criticalPath();
      run.steps().all().forEach(step -> path.follow(step.span(), ofWork));
    }
  }

  /**
   * What was done in the spans of each name in each process, without what they waited for others:
   * the one with the most time first.
   */
  public List<Part> names() {
    return names(span -> true);
  }

  /** The same of some spans. */
  public List<Part> names(IntPredicate some) {
    Map<Long, Part> found = new HashMap<>();
    for (int span : run.members()) {
      if (isMeasured(span) && some.test(span)) {
        add(span, found);
      }
    }
    return sorted(found);
  }

  private boolean isMeasured(int span) {
    return isRecorded(spans.process(span)) && spans.isTimed(span);
  }

  private void add(int span, Map<Long, Part> found) {
    Breakdown breakdown = part(found, spans.name(span), spans.process(span)).breakdown;
    breakdown.countSpan();
    own(span, breakdown);
  }

  private Part part(Map<Long, Part> found, int name, int process) {
    long key = (long) name << Integer.SIZE | (process & 0xffff_ffffL);
    return found.computeIfAbsent(key, none -> new Part(name, process, new Breakdown(stacks)));
  }

  /** Takes what was done in a step. */
  public interface StepSink {
    /**
     * One step.
     *
     * @param step its place among {@link io.rollotel.traces.analysis.Steps#all}
     * @param path as {@link #path()} has it
     * @param names as {@link #names()} has them
     * @return whether the next one is wanted
     */
    boolean step(int step, List<Part> path, List<Part> names);
  }

  /**
   * Does the same for each step, one after the other: a run of many steps, names and processes has
   * more of them than there is memory for. Time outside steps is left out.
   */
  public void forEachStep(StepSink sink) {
    int steps = run.steps().all().size();
    int[] places = new int[spans.size()];
    for (int i = 0; i < steps; i++) {
      places[run.steps().all().get(i).span()] = i;
    }
    IntUnaryOperator place = span -> run.stepOf(span) < 0 ? -1 : places[run.stepOf(span)];
    Times path = new Times(); // of each segment its span and its step
    followPath((span, isQueueWait, from, to) -> path.add(from, to, span, place.applyAsInt(span)));
    int[] segments = IntStream.range(0, path.size()).filter(i -> path.second(i) >= 0).toArray();
    IndexSort.sort(segments, (a, b) -> path.second(a) < path.second(b));
    int[] members =
        IntStream.of(run.members())
            .filter(span -> isMeasured(span) && place.applyAsInt(span) >= 0)
            .toArray();
    IndexSort.sort(members, (a, b) -> place.applyAsInt(a) < place.applyAsInt(b));
    int segment = 0;
    int member = 0;
    boolean isWanted = true;
    for (int step = 0; isWanted && step < steps; step++) {
      Map<Long, Part> onPath = new HashMap<>();
      for (; segment < segments.length && path.second(segments[segment]) == step; segment++) {
        int i = segments[segment];
        int span = path.first(i);
        between(span, path.from(i), path.to(i), part(onPath, spans.name(span), -1).breakdown);
      }
      Map<Long, Part> inStep = new HashMap<>();
      for (; member < members.length && place.applyAsInt(members[member]) == step; member++) {
        add(members[member], inStep);
      }
      isWanted = sink.step(step, sorted(onPath), sorted(inStep));
    }
  }

  private static List<Part> sorted(Map<Long, Part> found) {
    List<Part> parts = new ArrayList<>(found.values());
    parts.sort(
        Comparator.comparingDouble((Part part) -> part.breakdown.totalNanos())
            .reversed()
            .thenComparingInt(Part::name)
            .thenComparingInt(Part::process));
    return parts;
  }

  /** What is done in a span while nobody runs whom it waits for. */
  private void own(int span, Breakdown into) {
    ownStretches(span, (from, to) -> between(span, from, to, into));
  }

  private void ownStretches(int span, StretchSink sink) {
    long at = spans.start(span);
    for (int child : run.waitedFor(span)) {
      long start = Math.min(spans.start(child), spans.end(span));
      if (start > at) {
        sink.stretch(at, start);
      }
      at = Math.max(at, spans.end(child));
    }
    if (at < spans.end(span)) {
      sink.stretch(at, spans.end(span));
    }
  }

  /** How long nobody ran whom a span waited for. */
  public long ownNanos(int span) {
    long[] sum = {0};
    ownStretches(span, (from, to) -> sum[0] += to - from);
    return sum[0];
  }

  /** What was done in that time. */
  public Breakdown own(int span) {
    Breakdown breakdown = new Breakdown(stacks);
    own(span, breakdown);
    return breakdown;
  }

  /** When all threads of a process stood still, by start; none overlaps another. */
  public List<Pause> pauses(int process) {
    ProcessActivity activity = processes[process];
    return activity == null ? List.of() : activity.pauses(behindNanos[process]);
  }

  /**
   * Why some processes take longer than the others for spans of one name.
   *
   * @return null where the recordings do not tell
   */
  public @Nullable Cause cause(int name, List<Integer> slow) {
    int heapPercent = slow.stream().mapToInt(this::heapPercent).max().orElse(0);
    return Cause.of(
        whole(name, slow::contains), whole(name, process -> !slow.contains(process)), heapPercent);
  }

  /**
   * Why spans of one name take longer than in an earlier run.
   *
   * @return null where the recordings do not tell
   */
  public @Nullable Cause cause(String name, RunProfile before) {
    int number = spans.names().find(name);
    int heapPercent =
        IntStream.of(run.members())
            .filter(span -> spans.name(span) == number)
            .map(spans::process)
            .distinct()
            .map(this::heapPercent)
            .max()
            .orElse(0);
    return Cause.of(
        whole(number, process -> true),
        before.whole(before.spans.names().find(name), process -> true),
        heapPercent);
  }

  /** What was done in all of the time of the spans of a name, in some processes. */
  private Breakdown whole(int name, IntPredicate ofProcess) {
    Breakdown whole = new Breakdown(stacks);
    for (int span : run.members()) {
      if (spans.name(span) == name
          && isMeasured(span)
          && !spans.isDispatch(span)
          && ofProcess.test(spans.process(span))) {
        whole.countSpan();
        between(span, spans.start(span), spans.end(span), whole);
      }
    }
    return whole;
  }

  /** What was done for a span in a part of its time. */
  private void between(int span, long from, long to, Breakdown into) {
    ProcessActivity process = processes[spans.process(span)];
    long thread = spans.threads().id(span);
    if (process == null || thread == SpanThreads.UNKNOWN) {
      into.add(Activity.NO_PROFILE, Stacks.NONE, (double) (to - from)); // each has too many digits
      return;
    }
    long behind = behindNanos[spans.process(span)];
    long returned = spans.threads().returnedNanos(span);
    long left =
        returned >= spans.nanos(span)
            ? to
            : Math.max(from, Math.min(to, spans.start(span) + returned));
    SpanWalk walk = new SpanWalk(process, process.works(spans.id(span)), into);
    process.walk(process.known(thread), from + behind, left + behind, walk);
    if (left < to) {
      walk.waited(Activity.FUTURE, Stacks.NONE, left + behind, to + behind);
    }
  }
}
