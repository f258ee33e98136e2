package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Calls that went to several workers at once, and the workers that were waited for.
 *
 * <p>A fan-out consists of spans of one name that one span waited for, in two or more processes,
 * each sent before all earlier ones had ended ({@link FanOutGroups}). The straggler is the process
 * whose last span ends last; what it cost is how much later that is than the last end in any other
 * process.
 */
public final class FanOuts implements Serializable {

  /**
   * One fan-out that had a straggler.
   *
   * @param parent the span that waited for all
   * @param lastSpan the span that ended last
   * @param costNanos the time from the last end in any other process to its end
   * @param lagNanos the time from the median of the processes' last ends, the lower of two, to its
   *     end
   */
  public record FanOut(int parent, int lastSpan, int processes, long costNanos, long lagNanos)
      implements Serializable {}

  /**
   * How often a process was last, and what that cost.
   *
   * @param fanOuts in how many fan-outs it took part
   * @param isAlways whether it was last in each of them, and they are several
   * @param lateNanos how much later than the first calls its own were sent, on average, if that is
   *     why it was last; otherwise 0
   * @param worst the fan-out in which it cost most
   */
  public record Straggler(
      int process,
      long times,
      long fanOuts,
      boolean isAlways,
      long costNanos,
      long lateNanos,
      FanOut worst) {}

  /** The share of all cases from which on something is the rule. */
  static final double MOSTLY = 0.8;

  private static final FanOut NONE = new FanOut(-1, -1, 0, -1, 0);

  /** A process in the fan-outs of one name. */
  private static final class StragglerSum implements Serializable {
    double fanOuts;
    long seen;
    double times;
    long seenLast;
    long costNanos;
    FanOut worst = NONE;

    /** How often it was last because its calls were sent last, and how much later. */
    long seenLate;

    long lateNanos;

    /** The cost where it was last, of those that were read. */
    long seenNanos;

    long lateNanos() {
      return seenLate >= MOSTLY * seenLast && 2 * lateNanos >= seenNanos
          ? lateNanos / Math.max(1, seenLate)
          : 0;
    }
  }

  /** The straggler of one fan-out of a step. */
  record OfStep(int process, int name, long costNanos) implements Serializable {}

  /**
   * Fan-outs that a single long call ends ({@link LongTail}).
   *
   * @param lastNanos what that call takes on average
   * @param typicalNanos what the typical call takes there on average
   */
  public record Tails(long count, long lastNanos, long typicalNanos) {}

  /**
   * All fan-outs of one name.
   *
   * @param fanOuts how many the sampled ones represent
   * @param seen how many were read
   * @param stragglers the most expensive first
   * @param tails those of the read ones that a single long call ends
   */
  public record Totals(
      int name,
      long fanOuts,
      long seen,
      long costNanos,
      long lagNanos,
      FanOut worst,
      List<Straggler> stragglers,
      Tails tails) {

    /** Whether one process was last in each of several fan-outs. */
    public boolean isAlwaysTheSame() {
      return seen > 1 && stragglers.size() == 1;
    }
  }

  private final Spans spans;
  private final Map<Integer, Sum> sums = new HashMap<>();

  /** For each step of a run with steps, by its span: the straggler that cost it most. */
  private final Map<Integer, OfStep> costliest = new HashMap<>();

  private final FanOutSends sends;

  /** The processes that took part. */
  private final BitSet processes = new BitSet();

  // Only of these spans, without added parts.
  private final List<int[]> groups = new ArrayList<>();
  private final List<FanOut> all = new ArrayList<>();

  FanOuts(Spans spans) {
    this.spans = spans;
    this.sends = new FanOutSends(spans);
  }

  /** Finds those of the traces in memory. */
  void find(RunTraces in, Clocks clocks) {
    FanOutGroups.Sink sink =
        new FanOutGroups.Sink() {
          @Override
          public void group(int waiting, int[] group, SentCalls calls) {
            int step = in.shape.areTraces() ? -1 : in.units.of(waiting);
            add(waiting, group, calls, clocks, step);
          }

          @Override
          public void calls(SentCalls calls) {
            sends.add(calls, clocks);
          }
        };
    new FanOutGroups(spans, in.tree, in.waits, in.units, sink).find(in.rows);
  }

  /** Adds the sums of a part. */
  void add(FanOuts part, RowCopies copies) {
    processes.or(part.processes);
    sends.add(part.sends);
    part.sums.forEach(
        (name, other) -> sums.computeIfAbsent(name, none -> new Sum()).add(other, copies));
    part.costliest.forEach((step, one) -> costliest.put(copies.of(step), one)); // steps are whole
  }

  /**
   * Adds a fan-out.
   *
   * @param step the step that it is in; negative if it is in none, or if steps are traces
   */
  private void add(int waiting, int[] group, SentCalls calls, Clocks clocks, int step) {
    groups.add(group.clone());
    // The last span of each process, the latest end first.
    IndexSort.sort(
        group,
        (a, b) ->
            spans.end(a) != spans.end(b) ? spans.end(a) > spans.end(b) : spans.compare(a, b) < 0);
    Map<Integer, Boolean> seen = new HashMap<>();
    int count = 0;
    for (int span : group) {
      if (seen.put(spans.process(span), true) == null) {
        group[count++] = span;
        processes.set(spans.process(span));
      }
    }
    long last = spans.end(group[0]);
    long typicalNanos = LongTail.typicalNanos(spans, groups.get(groups.size() - 1), count);
    FanOut fanOut =
        new FanOut(
            waiting,
            group[0],
            count,
            last - spans.end(group[1]),
            last - spans.end(group[count / 2]));
    all.add(fanOut);
    if (step >= 0) {
      costliest.merge(
          step,
          new OfStep(spans.process(group[0]), spans.name(group[0]), fanOut.costNanos),
          (one, another) -> another.costNanos > one.costNanos ? another : one);
    }
    Sum sum = sums.computeIfAbsent(spans.name(group[0]), name -> new Sum());
    sum.add(fanOut, calls.lateNanos(spans.process(group[0]), clocks));
    if (typicalNanos >= 0) {
      sum.addTail(spans.nanos(group[0]), typicalNanos);
    }
    for (int i = 0; i < count; i++) {
      sum.addMember(group[i], spans.weight(waiting));
    }
  }

  /** The numbers of the processes that took part in any. */
  BitSet processes() {
    return processes;
  }

  /** How their calls were sent, and those of others. */
  FanOutSends sends() {
    return sends;
  }

  /** Each of them. */
  List<FanOut> all() {
    return all;
  }

  /** The straggler that cost a step most; null if it has no fan-out. */
  @Nullable OfStep costliest(int step) {
    return costliest.get(step);
  }

  /** The spans of each fan-out. */
  List<int[]> groups() {
    return groups;
  }

  /** By name, the most expensive first. */
  List<Totals> totals() {
    List<Totals> totals = new ArrayList<>();
    sums.forEach((name, sum) -> totals.add(sum.totals(name)));
    totals.sort(
        (a, b) ->
            a.costNanos != b.costNanos
                ? Long.compare(b.costNanos, a.costNanos)
                : spans.names().text(a.name).compareTo(spans.names().text(b.name)));
    return totals;
  }

  private final class Sum implements Serializable {
    private double fanOuts;
    private long seen;
    private long costNanos;
    private long lagNanos;
    private FanOut worst = NONE;
    private long tails;
    private long lastNanos;
    private long typicalNanos;
    private final Map<Integer, StragglerSum> byProcess = new HashMap<>();

    void add(FanOut fanOut, long lateNanos) {
      double weight = spans.weight(fanOut.parent);
      fanOuts += weight;
      seen++;
      costNanos += NameTotals.times(weight, fanOut.costNanos);
      lagNanos += NameTotals.times(weight, fanOut.lagNanos);
      worst = worst(worst, fanOut);
      StragglerSum straggler = ofProcess(spans.process(fanOut.lastSpan));
      straggler.times += weight;
      straggler.seenLast++;
      straggler.costNanos += NameTotals.times(weight, fanOut.costNanos);
      straggler.seenNanos += fanOut.costNanos;
      straggler.seenLate += lateNanos > 0 ? 1 : 0;
      straggler.lateNanos += lateNanos;
      straggler.worst = worst(straggler.worst, fanOut);
    }

    void addTail(long nanos, long typical) {
      tails++;
      lastNanos += nanos;
      typicalNanos += typical;
    }

    void addMember(int span, double weight) {
      StragglerSum member = ofProcess(spans.process(span));
      member.fanOuts += weight;
      member.seen++;
    }

    private StragglerSum ofProcess(int process) {
      return byProcess.computeIfAbsent(process, none -> new StragglerSum());
    }

    /** Of equal ones, the one whose last span comes first. */
    private FanOut worst(FanOut one, FanOut another) {
      return another.costNanos > one.costNanos
              || (another.costNanos == one.costNanos
                  && spans.compare(another.lastSpan, one.lastSpan) < 0)
          ? another
          : one;
    }

    /** The same for one of a part, which is copied only if it may be the worst. */
    private FanOut worst(FanOut one, FanOut ofPart, RowCopies copies) {
      return ofPart.lastSpan < 0 || ofPart.costNanos < one.costNanos
          ? one
          : worst(
              one,
              new FanOut(
                  copies.of(ofPart.parent),
                  copies.of(ofPart.lastSpan),
                  ofPart.processes,
                  ofPart.costNanos,
                  ofPart.lagNanos));
    }

    void add(Sum part, RowCopies copies) {
      fanOuts += part.fanOuts;
      seen += part.seen;
      costNanos += part.costNanos;
      lagNanos += part.lagNanos;
      worst = worst(worst, part.worst, copies);
      tails += part.tails;
      lastNanos += part.lastNanos;
      typicalNanos += part.typicalNanos;
      part.byProcess.forEach(
          (process, other) -> {
            StragglerSum sum = ofProcess(process);
            sum.fanOuts += other.fanOuts;
            sum.seen += other.seen;
            sum.times += other.times;
            sum.seenLast += other.seenLast;
            sum.costNanos += other.costNanos;
            sum.seenNanos += other.seenNanos;
            sum.seenLate += other.seenLate;
            sum.lateNanos += other.lateNanos;
            sum.worst = worst(sum.worst, other.worst, copies);
          });
    }

    Totals totals(int name) {
      List<Straggler> stragglers = new ArrayList<>();
      byProcess.forEach(
          (process, sum) -> {
            if (sum.seenLast > 0) {
              stragglers.add(
                  new Straggler(
                      process,
                      Math.round(sum.times),
                      Math.round(sum.fanOuts),
                      sum.seen > 1 && sum.seenLast == sum.seen,
                      sum.costNanos,
                      sum.lateNanos(),
                      sum.worst));
            }
          });
      stragglers.sort(
          (a, b) ->
              a.costNanos != b.costNanos
                  ? Long.compare(b.costNanos, a.costNanos)
                  : a.times != b.times
                      ? Long.compare(b.times, a.times)
                      : TracedProcess.ORDER.compare(
                          spans.processes().get(a.process), spans.processes().get(b.process)));
      return new Totals(
          name,
          Math.round(fanOuts),
          seen,
          costNanos,
          lagNanos,
          worst,
          stragglers,
          new Tails(tails, lastNanos / Math.max(1, tails), typicalNanos / Math.max(1, tails)));
    }
  }
}
