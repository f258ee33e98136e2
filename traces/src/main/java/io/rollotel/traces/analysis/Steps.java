package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline steps of a run: the outermost spans with the step's name or, if a run has none, the
 * roots of its traces.
 */
public final class Steps implements Serializable {

  /** The share of a step that belongs to the children of one name. */
  public record PhaseTime(int name, long nanos) implements Serializable {}

  /**
   * A step and where its wall time went.
   *
   * @param label its {@code global_step}, empty if it has none
   * @param phases the longest first
   * @param restNanos the time that belongs to no phase
   */
  public record Step(int span, String label, long wallNanos, List<PhaseTime> phases, long restNanos)
      implements Serializable {}

  /** A phase over all steps. */
  public record Phase(int name, long steps, long totalNanos, long medianNanos, long maxNanos) {}

  /** If there are more than twice as many traces, this many are kept one by one. */
  private static final int MOST_TRACES = 100_000;

  private final Spans spans;
  private final RunShape shape;
  private final List<Step> steps = new ArrayList<>();

  private boolean isSorted;

  /** Whether only the slowest are kept one by one. */
  private boolean areLeftOut;

  /** Shorter traces are left out. */
  private long leastNanos;

  // Created on demand; null if steps were added since.
  private transient @Nullable StepTimes times;
  private @Nullable StepSums sums;

  /** None yet. */
  Steps(Spans spans, RunShape shape) {
    this.spans = spans;
    this.shape = shape;
  }

  /**
   * Measures the steps.
   *
   * @param waits as built by {@link WaitTree}
   * @param rows the run's spans, and the rows for missing ones
   */
  Steps(Spans spans, SpanTree waits, RunShape shape, StepUnits units, int[] rows) {
    this(spans, shape);
    for (int span : rows) {
      if (units.isStep(span)) {
        steps.add(step(waits, span));
      }
    }
  }

  /**
   * Adds the steps of a part of the run. If traces count as steps, there can be any number of them:
   * if there are too many, and exactness is not required, only the slowest are kept one by one.
   */
  void add(Steps part, RowCopies copies, int mostExact) {
    // Steps are always all kept.
    sums().add(part.sums(), shape.areTraces() ? mostExact : Integer.MAX_VALUE);
    areLeftOut |= part.areLeftOut;
    times = null;
    isSorted = false;
    for (Step step : part.steps) {
      if (step.wallNanos > leastNanos || leastNanos == 0) {
        int copy = copies.of(step.span);
        steps.add(new Step(copy, step.label, step.wallNanos, step.phases, step.restNanos));
      }
    }
    boolean areTooMany = shape.areTraces() && steps.size() > 2 * MOST_TRACES;
    if (areTooMany && mostExact != Integer.MAX_VALUE) {
      areLeftOut = true;
      keepSlowest();
    }
  }

  private void keepSlowest() {
    steps.sort(
        (a, b) ->
            a.wallNanos != b.wallNanos
                ? Long.compare(b.wallNanos, a.wallNanos)
                : spans.compare(a.span, b.span));
    if (steps.size() > MOST_TRACES) {
      steps.subList(MOST_TRACES, steps.size()).clear();
      leastNanos = steps.get(MOST_TRACES - 1).wallNanos;
    }
  }

  /** The spans that a step waited for; lost ones are replaced by their children. */
  private int[] children(SpanTree waits, int step) {
    int[] children = waits.children(step);
    if (Arrays.stream(children).noneMatch(this::isLost)) {
      return children;
    }
    int[] known =
        Arrays.stream(children)
            .flatMap(
                child -> IntStream.of(isLost(child) ? waits.children(child) : new int[] {child}))
            .toArray();
    IndexSort.sort(known, waits::isBefore);
    return known;
  }

  private boolean isLost(int span) {
    return spans.isVirtual(span) && spans.nameOf(span).equals(LostParents.NOT_THERE);
  }

  /**
   * Each moment of a step belongs to the phase of the running child that ends last, since the step
   * waits for that child; while no child runs, it belongs to no phase. Children are the spans that
   * the step itself waited for.
   */
  private Step step(SpanTree waits, int span) {
    long from = spans.start(span);
    long to = spans.end(span);
    Map<Integer, Long> phases = new HashMap<>();
    long reached = from;
    long rest = to - from;
    int last = -1;
    // Children come by start: one that ends before the reached time is never the last to end.
    for (int child : children(waits, span)) {
      long start = Math.max(spans.start(child), from);
      long end = Math.min(spans.end(child), to);
      if (end <= reached || end <= start) {
        continue;
      }
      if (last >= 0 && start < reached) {
        // The rest of the previous one no longer belongs to it.
        phases.merge(spans.name(last), start - reached, Long::sum);
        rest += reached - start;
      }
      phases.merge(spans.name(child), end - start, Long::sum);
      rest -= end - start;
      reached = end;
      last = child;
    }
    String label = spans.globalStep(span);
    List<PhaseTime> times = new ArrayList<>(phases.size());
    phases.values().removeIf(nanos -> nanos == 0); // replaced at once by a child that ends later
    phases.forEach((name, nanos) -> times.add(new PhaseTime(name, nanos)));
    times.sort(Comparator.comparingLong(PhaseTime::nanos).reversed().thenComparing(this::text));
    return new Step(span, label == null ? "" : label, to - from, List.copyOf(times), rest);
  }

  private String text(PhaseTime time) {
    return spans.names().text(time.name);
  }

  /** By their start. */
  public List<Step> all() {
    if (!isSorted) {
      if (areLeftOut) {
        keepSlowest();
      }
      steps.sort((a, b) -> spans.compare(a.span, b.span));
      isSorted = true;
    }
    return steps;
  }

  /** How many steps are missing from {@link #all}, since there are too many traces. */
  public long leftOut() {
    return areLeftOut ? sums().read() - all().size() : 0;
  }

  /** Whether the run has no steps, so that the roots of its traces count as steps. */
  public boolean areTraces() {
    return shape.areTraces();
  }

  StepTimes times() {
    StepTimes known = times;
    if (known == null) {
      known = new StepTimes(spans, areLeftOut ? List.of() : all(), shape.areTraces());
      times = known;
    }
    return known;
  }

  /** How far the steps that were read overlap. */
  public StepOverlap overlap() {
    return times().overlap();
  }

  /**
   * Whether steps overlap, so that their sums exceed the time of the run. Traces of a service
   * normally overlap, which does not count.
   */
  public boolean areOverlapping() {
    return times().isUnion();
  }

  /**
   * Whether the critical path is that of the run, since steps overlap. If traces were thinned out,
   * it is unknown what ran beside them.
   */
  public boolean hasPathOfRun() {
    return areOverlapping() && !shape.isWeighted();
  }

  /** Steps per minute; 0 if there are fewer than two. */
  public double perMinute() {
    long extentNanos = overlap().extentNanos();
    return all().size() < 2 || shape.areTraces() || extentNanos == 0
        ? 0
        : count() * 60e9 / extentNanos;
  }

  /** How many of them are not in the files, but reconstructed from the spans below them. */
  public long virtual() {
    return shape.isVirtualToo() ? sums().virtual() : 0;
  }

  /** How many steps the sampled ones represent. */
  public long count() {
    return sums().count();
  }

  public long wallNanos() {
    return sums().wallNanos();
  }

  public long restNanos() {
    return sums().restNanos();
  }

  /** The middle one of the steps' wall times, the lower of two. */
  public long medianWallNanos() {
    return sums().medianWallNanos();
  }

  /** All phases, the one with the most time first. */
  public List<Phase> phases() {
    return sums().phases(spans);
  }

  /** The phase that makes a step longer than the others; -1 if it is no single one. */
  public int longerPart(Step step) {
    return LongerPart.of(List.of(step), all(), medianWallNanos()).part();
  }

  private StepSums sums() {
    StepSums known = sums;
    if (known == null) {
      known = new StepSums();
      for (Step step : all()) {
        known.add(spans, step);
      }
      sums = known;
    }
    return known;
  }
}
