package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The critical paths of all steps of a run, added up by span name and by process; if steps overlap,
 * the one path of the run. While a call waits in a queue, no process works on it: these waits are
 * added up separately.
 */
public final class PathShares implements Serializable {

  /** The share of one name or process in the paths. */
  public record Share(int number, long nanos) {}

  /** How long calls of one name waited for one process while the steps waited for them. */
  public record QueueShare(int name, int process, long nanos) {}

  private static final String EXEC = "exec";

  private final Map<Integer, Long> byName = new HashMap<>();
  private final Map<Integer, Long> byProcess = new HashMap<>();
  private final Map<Long, Long> queues = new HashMap<>(); // by name and process
  private final Map<Long, Long> behind = new HashMap<>(); // likewise
  private final Map<Long, Long> starting = new HashMap<>(); // likewise
  private final Map<Integer, Long> failed = new HashMap<>(); // by name
  private final LastStretches lastStretches;
  private final long[] nanosOfSpan;
  private final Spans spans;
  private final boolean isOfRun;
  private long totalNanos;
  private long betweenNanos;

  private PathShares(Spans spans, boolean isOfRun, int rows) {
    this.spans = spans;
    this.isOfRun = isOfRun;
    this.nanosOfSpan = new long[rows];
    this.lastStretches = new LastStretches(spans);
  }

  /**
   * Of no step yet.
   *
   * @param isOfRun whether the run has one path, since its steps overlap
   */
  static PathShares none(Spans spans, boolean isOfRun) {
    return new PathShares(spans, isOfRun, 0);
  }

  /** Follows the path of every step. */
  static PathShares ofSteps(
      Spans spans, SpanTree waits, RunShape shape, CriticalPath path, Steps steps) {
    PathShares all = new PathShares(spans, false, steps.all().isEmpty() ? 0 : spans.size());
    for (Steps.Step step : steps.all()) {
      path.follow(step.span(), all.adding(spans, waits, shape, step.span()));
    }
    return all;
  }

  /**
   * Follows the path of the run.
   *
   * @param path gives its segments to the sink
   */
  static PathShares ofRun(
      Spans spans, SpanTree waits, RunShape shape, Consumer<CriticalPath.Sink> path) {
    PathShares all = new PathShares(spans, true, spans.size());
    path.accept(all.adding(spans, waits, shape, CriticalPath.NO_SPAN));
    return all;
  }

  /** Adds the paths of other steps. */
  void add(PathShares part, RowCopies copies) {
    lastStretches.add(part.lastStretches, copies);
    totalNanos += part.totalNanos;
    betweenNanos += part.betweenNanos;
    part.byName.forEach((name, nanos) -> byName.merge(name, nanos, Long::sum));
    part.byProcess.forEach((process, nanos) -> byProcess.merge(process, nanos, Long::sum));
    part.queues.forEach((both, nanos) -> queues.merge(both, nanos, Long::sum));
    part.behind.forEach((both, nanos) -> behind.merge(both, nanos, Long::sum));
    part.starting.forEach((both, nanos) -> starting.merge(both, nanos, Long::sum));
    part.failed.forEach((name, nanos) -> failed.merge(name, nanos, Long::sum));
  }

  /** Adds time of the run's path in which no step ran. */
  void addBetween(long nanos) {
    totalNanos += nanos;
    betweenNanos += nanos;
  }

  /** The spans that it names. */
  Spans spans() {
    return spans;
  }

  /** Whether it is the one path of the run, and not those of its steps. */
  public boolean isOfRun() {
    return isOfRun;
  }

  /**
   * Adds segments.
   *
   * @param step the step that they are of; {@link CriticalPath#NO_SPAN} for the path of a run
   */
  private CriticalPath.Sink adding(Spans spans, SpanTree waits, RunShape shape, int step) {
    double weight = step < 0 ? 1 : spans.weight(step);
    boolean mayLose = step >= 0 && !spans.isError(step);
    return new CriticalPath.Sink() {
      @Override
      public void segment(int span, boolean isQueueWait, long from, long to) {
        long nanos = to - from;
        long ofAll = NameTotals.times(weight, nanos);
        totalNanos += ofAll;
        if (span == CriticalPath.NO_SPAN) {
          betweenNanos += ofAll;
          return;
        }
        if (isQueueWait) {
          queues.merge(queue(span), ofAll, Long::sum);
          long startingNanos = shape.startingNanos(spans.process(span), from, to);
          if (startingNanos > 0) {
            long startingOfAll = NameTotals.times(weight, startingNanos);
            starting.merge(queue(span), startingOfAll, Long::sum);
          }
        } else {
          nanosOfSpan[span] += nanos;
          int name = spans.name(named(spans, waits, span));
          byName.merge(name, ofAll, Long::sum);
          byProcess.merge(spans.process(span), ofAll, Long::sum);
          if (mayLose && spans.isError(span)) {
            failed.merge(name, ofAll, Long::sum);
          }
          lastStretches.see(span, name, from, to);
        }
      }

      @Override
      public void waitedBehind(int span, long nanos) {
        behind.merge(queue(span), NameTotals.times(weight, nanos), Long::sum);
      }
    };
  }

  private long queue(int span) {
    return (long) spans.name(span) << Integer.SIZE | spans.process(span);
  }

  /** In ROLL, the work of all methods has one name; it counts as part of the method's span. */
  private static int named(Spans spans, SpanTree waits, int span) {
    int above = waits.above(span);
    boolean isWork =
        above >= 0
            && spans.process(above) == spans.process(span)
            && spans.nameOf(span).equals(EXEC);
    return isWork ? above : span;
  }

  /** How long a span worked on its step's path by itself. */
  public long nanosOf(int span) {
    return span < nanosOfSpan.length ? nanosOfSpan[span] : 0;
  }

  /**
   * The wall time of all steps; for the path of a run, the time from the first step to the last.
   */
  public long totalNanos() {
    return totalNanos;
  }

  /** The time of a run's path between steps; 0 if each step has its own path. */
  public long betweenNanos() {
    return betweenNanos;
  }

  /** The share of a process. */
  public long nanosOfProcess(int process) {
    return byProcess.getOrDefault(process, 0L);
  }

  /** Spans that worked by themselves until they ended. */
  LastStretches lastStretches() {
    return lastStretches;
  }

  /** By span names, the largest first. */
  public List<Share> names() {
    return sorted(byName, Comparator.comparing(name -> spans.names().text(name)));
  }

  /** Time in failed spans of steps that did not fail, by name, the largest first. */
  List<Share> failed() {
    return sorted(failed, Comparator.comparing(name -> spans.names().text(name)));
  }

  /** By processes, the largest first. */
  public List<Share> processes() {
    return sorted(
        byProcess,
        Comparator.comparing(process -> spans.processes().get(process), TracedProcess.ORDER));
  }

  /** Waits of calls in whose time no process worked: the longest first. */
  public List<QueueShare> queues() {
    return sorted(queues);
  }

  /** How much of these waits passed before the call's process began its first span. */
  public long startingNanos() {
    return starting.values().stream().mapToLong(nanos -> nanos).sum();
  }

  /**
   * The same without waits for a process that was starting, but with waits in whose time the call's
   * process ran another one.
   */
  List<QueueShare> queuesOfRunning() {
    Map<Long, Long> all = new HashMap<>(queues);
    starting.forEach((both, nanos) -> all.merge(both, -nanos, Long::sum));
    behind.forEach((both, nanos) -> all.merge(both, nanos, Long::sum));
    all.values().removeIf(nanos -> nanos == 0);
    return sorted(all);
  }

  /** The waits of calls of a name in whose time their processes ran other calls. */
  long nanosBehind(int name) {
    return behind.entrySet().stream()
        .filter(both -> (int) (both.getKey() >> Integer.SIZE) == name)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /**
   * By name, how long calls delayed the path by their waits: on the path, or behind calls on it
   * that their processes ran meanwhile.
   */
  public Map<Integer, Long> delays() {
    Map<Integer, Long> delays = new HashMap<>();
    queues().forEach(share -> delays.merge(share.name(), share.nanos(), Long::sum));
    behind.forEach((both, nanos) -> delays.merge((int) (both >> Integer.SIZE), nanos, Long::sum));
    return delays;
  }

  private List<QueueShare> sorted(Map<Long, Long> nanosOfQueue) {
    List<QueueShare> all = new ArrayList<>();
    nanosOfQueue.forEach(
        (both, nanos) ->
            all.add(new QueueShare((int) (both >> Integer.SIZE), both.intValue(), nanos)));
    all.sort(
        Comparator.comparingLong(QueueShare::nanos)
            .reversed()
            .thenComparing(share -> spans.names().text(share.name))
            .thenComparing(share -> spans.processes().get(share.process), TracedProcess.ORDER));
    return all;
  }

  private static List<Share> sorted(Map<Integer, Long> nanos, Comparator<Integer> ofEqual) {
    return nanos.entrySet().stream()
        .map(entry -> new Share(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.comparingLong(Share::nanos).reversed().thenComparing(Share::number, ofEqual))
        .toList();
  }
}
