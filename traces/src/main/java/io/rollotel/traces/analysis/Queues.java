package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How long calls took to be sent, waited between dispatch and start, and then ran. */
public final class Queues implements Serializable {

  /**
   * The calls of one name whose waiting times are known.
   *
   * @param dispatches how many spans of senders were read; none if calls have no such span
   * @param dispatchNanos how long these took
   * @param negative how many started before they were sent, by the clocks of two hosts; the other
   *     numbers exclude them
   */
  public record Totals(
      int name,
      long count,
      long dispatches,
      long dispatchNanos,
      long waitNanos,
      long workNanos,
      long medianNanos,
      long p95Nanos,
      long maxNanos,
      long negative) {

    /** {@code wait / (wait + work)}. */
    public double share() {
      long both = waitNanos + workNanos;
      return both == 0 ? 0 : (double) waitNanos / both;
    }
  }

  private static final class Sum implements Serializable {
    final NameTotals waits = new NameTotals("");
    double dispatches;
    long dispatchNanos;
    long workNanos;
    double negative;

    void add(Sum part, int mostExact) {
      waits.add(part.waits, mostExact);
      dispatches += part.dispatches;
      dispatchNanos += part.dispatchNanos;
      workNanos += part.workNanos;
      negative += part.negative;
    }
  }

  private final Spans spans;
  private final Map<Integer, Sum> sums = new HashMap<>();

  /** None yet. */
  Queues(Spans spans) {
    this.spans = spans;
  }

  Queues(Spans spans, CallPairs pairs, int[] members) {
    this(spans);
    for (int span : members) {
      boolean isDispatch = pairs.isDispatch(span);
      long queue = isDispatch ? 0 : pairs.queueNanos(span);
      if (queue == Spans.NO_QUEUE) {
        continue;
      }
      Sum sum = sums.computeIfAbsent(spans.name(span), name -> new Sum());
      double weight = spans.weight(span);
      if (isDispatch) {
        sum.dispatches += weight;
        sum.dispatchNanos += NameTotals.times(weight, spans.nanos(span));
      } else if (queue < 0) {
        sum.negative += weight;
      } else {
        sum.waits.add(weight, queue, 0, false);
        sum.workNanos += NameTotals.times(weight, spans.nanos(span));
      }
    }
  }

  void add(Queues part, int mostExact) {
    part.sums.forEach(
        (name, sum) -> sums.computeIfAbsent(name, none -> new Sum()).add(sum, mostExact));
  }

  /** By name, the longest wait first. */
  List<Totals> all() {
    List<Totals> totals = new ArrayList<>();
    sums.forEach((name, sum) -> totals.add(totals(name, sum)));
    totals.sort(
        Comparator.comparingLong(Totals::waitNanos)
            .reversed()
            .thenComparing(total -> spans.names().text(total.name)));
    return totals;
  }

  private static Totals totals(int name, Sum sum) {
    return new Totals(
        name,
        sum.waits.count(),
        Math.round(sum.dispatches),
        sum.dispatchNanos,
        sum.waits.totalNanos(),
        sum.workNanos,
        sum.waits.percentile(50),
        sum.waits.percentile(95),
        sum.waits.percentile(100),
        Math.round(sum.negative));
  }
}
