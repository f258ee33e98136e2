package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The pipeline steps of a run: the outermost spans of the step's name, or, where a run has none,
 * the roots of its traces.
 */
public final class Steps {

  /** What the children of one name have of a step. */
  public record PhaseTime(int name, long nanos) {}

  /**
   * A step and where its wall time went.
   *
   * @param label its {@code global_step}, empty where it has none
   * @param phases the longest first
   * @param restNanos what no phase has
   */
  public record Step(
      int span, String label, long wallNanos, List<PhaseTime> phases, long restNanos) {}

  /** A phase over all steps. */
  public record Phase(int name, long steps, long totalNanos, long medianNanos, long maxNanos) {}

  private final Spans spans;
  private final SpanTree waits;
  private final StepUnits units;
  private final List<Step> steps = new ArrayList<>();
  private final StepTimes times;

  /**
   * Measures the steps.
   *
   * @param waits as {@link WaitTree} makes it
   * @param rows the run's spans in the tree's order, and what stands for those that are missing
   */
  Steps(Spans spans, SpanTree waits, StepUnits units, int[] rows) {
    this.spans = spans;
    this.waits = waits;
    this.units = units;
    for (int span : rows) {
      if (units.isStep(span)) {
        steps.add(step(span));
      }
    }
    steps.sort(
        (a, b) -> {
          int byStart = Long.compare(spans.start(a.span), spans.start(b.span));
          return byStart != 0 ? byStart : waits.isBefore(a.span, b.span) ? -1 : 1;
        });
    this.times = new StepTimes(spans, steps, units.areTraces());
  }

  /** Whom a step waited for; of lost ones, of which nothing is known but their children, these. */
  private int[] children(int step) {
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
   * Each moment of a step belongs to the phase of the child that ends last of those that run then,
   * since that is what the step waits for; to none where no child runs. Children are what the step
   * itself waited for.
   */
  private Step step(int span) {
    long from = spans.start(span);
    long to = spans.end(span);
    Map<Integer, Long> phases = new HashMap<>();
    long reached = from;
    long rest = to - from;
    int last = -1;
    // Children come by start: one that ends before what has been reached is never the last to end.
    for (int child : children(span)) {
      long start = Math.max(spans.start(child), from);
      long end = Math.min(spans.end(child), to);
      if (end <= reached || end <= start) {
        continue;
      }
      if (last >= 0 && start < reached) {
        // What is left of the one before is no longer its own.
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
    phases.values().removeIf(nanos -> nanos == 0); // taken over at once by one that ends later
    phases.forEach((name, nanos) -> times.add(new PhaseTime(name, nanos)));
    times.sort(Comparator.comparingLong(PhaseTime::nanos).reversed().thenComparing(this::text));
    return new Step(span, label == null ? "" : label, to - from, List.copyOf(times), rest);
  }

  private String text(PhaseTime time) {
    return spans.names().text(time.name);
  }

  /** By their start. */
  public List<Step> all() {
    return steps;
  }

  /** Whether the run has no steps of its own, so that its traces' roots are taken for them. */
  public boolean areTraces() {
    return units.areTraces();
  }

  StepTimes times() {
    return times;
  }

  /** How far those that were read run at once. */
  public StepOverlap overlap() {
    return times.overlap();
  }

  /**
   * Whether steps run at once, so that their sums exceed the time of the run. That traces of a
   * service do says nothing.
   */
  public boolean areOverlapping() {
    return times.isUnion();
  }

  /**
   * Whether the critical path is that of the run, since steps overlap. Of traces that were thinned
   * out nobody knows what ran beside them.
   */
  public boolean hasPathOfRun() {
    return areOverlapping() && !spans.isWeighted();
  }

  /** How many steps a minute there are, 0 where there are no two. */
  public double perMinute() {
    long extentNanos = overlap().extentNanos();
    return steps.size() < 2 || units.areTraces() || extentNanos == 0
        ? 0
        : count() * 60e9 / extentNanos;
  }

  /** The step that a span is in, or is; a negative number of its trace where it is in none. */
  public int unit(int span) {
    return units.of(span);
  }

  /** How many of them are not in the files, but put together of what is below them. */
  public long virtual() {
    return units.isVirtualToo()
        ? steps.stream().filter(step -> spans.isVirtual(step.span)).count()
        : 0;
  }

  /** For how many steps those stand that were read. */
  public long count() {
    return Math.round(steps.stream().mapToDouble(step -> spans.weight(step.span)).sum());
  }

  public long wallNanos() {
    return steps.stream().mapToLong(step -> ofAll(step, step.wallNanos)).sum();
  }

  public long restNanos() {
    return steps.stream().mapToLong(step -> ofAll(step, step.restNanos)).sum();
  }

  private long ofAll(Step step, long nanos) {
    return NameTotals.times(spans.weight(step.span), nanos);
  }

  /** The middle one of the steps' wall times, the lower of two. */
  public long medianWallNanos() {
    NameTotals walls = new NameTotals("");
    steps.forEach(step -> walls.add(spans.weight(step.span), step.wallNanos, 0, false));
    return walls.percentile(50);
  }

  /** All phases, the one with the most time first. */
  public List<Phase> phases() {
    Map<Integer, NameTotals> byName = new HashMap<>();
    for (Step step : steps) {
      for (PhaseTime phase : step.phases) {
        byName
            .computeIfAbsent(phase.name, name -> new NameTotals(""))
            .add(spans.weight(step.span), phase.nanos, 0, false);
      }
    }
    List<Phase> phases = new ArrayList<>();
    byName.forEach(
        (name, totals) ->
            phases.add(
                new Phase(
                    name,
                    totals.count(),
                    totals.totalNanos(),
                    totals.percentile(50),
                    totals.percentile(100))));
    phases.sort(
        (a, b) ->
            a.totalNanos != b.totalNanos
                ? Long.compare(b.totalNanos, a.totalNanos)
                : spans.names().text(a.name).compareTo(spans.names().text(b.name)));
    return phases;
  }
}
