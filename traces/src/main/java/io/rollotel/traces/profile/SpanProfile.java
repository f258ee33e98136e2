package io.rollotel.traces.profile;

import io.rollotel.traces.analysis.CriticalPath;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanThreads;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Spans that are in memory, joined with the recordings of their processes. */
public final class SpanProfile {

  /** Receives periods. */
  private interface StretchSink {
    void stretch(long from, long to);
  }

  private final RunAnalysis run;
  private final Spans spans;
  private final RecordedProcesses recorded;

  SpanProfile(RunAnalysis run, RecordedProcesses recorded) {
    this.run = run;
    this.spans = run.spans();
    this.recorded = recorded;
  }

  /** The activity in some spans on the critical paths, by name, the most time first. */
  public List<RunProfile.Part> path(IntPredicate some) {
    ProfileParts found = new ProfileParts(recorded.stacks);
    addPath(some, found);
    return found.sorted();
  }

  void addPath(IntPredicate some, ProfileParts to) {
    followPath(
        (span, isQueueWait, from, end) -> {
          if (some.test(span)) {
            between(span, from, end, to.of(spans.name(span), ProfileParts.ALL));
          }
        });
  }

  /** The segments of the critical paths in which spans from the files work. */
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
   * The activity in some spans of each name in each process, without their waiting for others: the
   * one with the most time first.
   */
  public List<RunProfile.Part> names(IntPredicate some) {
    ProfileParts found = new ProfileParts(recorded.stacks);
    addNames(some, found);
    return found.sorted();
  }

  void addNames(IntPredicate some, ProfileParts to) {
    for (int span : run.members()) {
      if (isMeasured(span) && some.test(span)) {
        addOwn(span, to);
      }
    }
  }

  /** The activity in the whole time of the spans of each name in each process. */
  void addWhole(ProfileParts to) {
    for (int span : run.members()) {
      if (isMeasured(span) && !spans.isDispatch(span)) {
        Breakdown whole = to.of(spans.name(span), spans.process(span));
        whole.countSpan();
        between(span, spans.start(span), spans.end(span), whole);
      }
    }
  }

  private boolean isMeasured(int span) {
    return recorded.get(spans.process(span)) != null && spans.isTimed(span);
  }

  private void addOwn(int span, ProfileParts to) {
    Breakdown breakdown = to.of(spans.name(span), spans.process(span));
    breakdown.countSpan();
    own(span, breakdown);
  }

  /** Receives the activities in a step. */
  public interface StepSink {
    /**
     * One step.
     *
     * @param step its place among {@link io.rollotel.traces.analysis.Steps#all}
     * @param path as in {@link #path}
     * @param names as in {@link #names}
     * @return whether the next one is wanted
     */
    boolean step(int step, List<RunProfile.Part> path, List<RunProfile.Part> names);
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
      ProfileParts onPath = new ProfileParts(recorded.stacks);
      for (; segment < segments.length && path.second(segments[segment]) == step; segment++) {
        int i = segments[segment];
        int span = path.first(i);
        between(span, path.from(i), path.to(i), onPath.of(spans.name(span), ProfileParts.ALL));
      }
      ProfileParts inStep = new ProfileParts(recorded.stacks);
      for (; member < members.length && place.applyAsInt(members[member]) == step; member++) {
        addOwn(members[member], inStep);
      }
      isWanted = sink.step(step, onPath.sorted(), inStep.sorted());
    }
  }

  /** The activities in a span while nothing runs that it waits for. */
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

  /** How long a span did not wait for running spans. */
  public long ownNanos(int span) {
    long[] sum = {0};
    ownStretches(span, (from, to) -> sum[0] += to - from);
    return sum[0];
  }

  /** The activity in that time. */
  public Breakdown own(int span) {
    Breakdown breakdown = new Breakdown(recorded.stacks);
    own(span, breakdown);
    return breakdown;
  }

  /** The activity for a span in a part of its time. */
  private void between(int span, long from, long to, Breakdown into) {
    ProcessActivity process = recorded.get(spans.process(span));
    long thread = spans.threads().id(span);
    if (process == null || thread == SpanThreads.UNKNOWN) {
      into.add(Activity.NO_PROFILE, Stacks.NONE, (double) (to - from)); // each has too many digits
      return;
    }
    long behind = recorded.behindNanos(spans.process(span));
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
