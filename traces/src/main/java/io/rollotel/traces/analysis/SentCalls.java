package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The calls of one name that a span sent to several processes, in the order in which it sent them.
 *
 * <p>A call is sent at the end of its PRODUCER span, or {@code roll.queue_ns} before it starts. If
 * the sender has another span for each call, such as a CLIENT span, the call is sent at its start.
 */
final class SentCalls {

  /** How much longer than a call of its peers a straggler's may take to be only late. */
  private static final double AS_LONG = 1.1;

  private final Spans spans;
  private final SpanTree waits;
  private final WaitedSpans waited;
  private final int waiting;
  private final int[] calls;

  /** For each call the span right below the waiting one: the call itself, or the sender's span. */
  private final int[] tops;

  /** For each call the span that received it: the call itself, or one above in its process. */
  private final int[] receivers;

  private final long[] sentNanos;
  private final boolean isKnown;

  /** Calls below a span that waited for them. */
  SentCalls(SpanTree tree, WaitedSpans waited, int waiting, int[] members) {
    this.spans = waited.spans();
    this.waits = waited.tree();
    this.waited = waited;
    this.waiting = waiting;
    int[] topOf = new int[members.length];
    long[] sentOf = new long[members.length];
    boolean areAllKnown = true;
    for (int i = 0; i < members.length && areAllKnown; i++) {
      topOf[i] = top(tree, members[i]);
      sentOf[i] = topOf[i] < 0 ? Spans.NO_QUEUE : sent(topOf[i], members[i]);
      areAllKnown = sentOf[i] != Spans.NO_QUEUE;
    }
    this.isKnown = areAllKnown;
    int[] order = new int[members.length];
    Arrays.setAll(order, i -> i);
    IndexSort.sort(
        order,
        (a, b) ->
            sentOf[a] != sentOf[b]
                ? sentOf[a] < sentOf[b]
                : spans.compare(members[a], members[b]) < 0);
    this.calls = new int[order.length];
    this.tops = new int[order.length];
    this.receivers = new int[order.length];
    this.sentNanos = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      calls[i] = members[order[i]];
      tops[i] = topOf[order[i]];
      receivers[i] = receiver(tree, calls[i]);
      sentNanos[i] = sentOf[order[i]];
    }
  }

  private int top(SpanTree tree, int call) {
    int at = call;
    while (at >= 0 && tree.above(at) != waiting) {
      at = tree.above(at);
    }
    return at;
  }

  private int receiver(SpanTree tree, int call) {
    int at = call;
    while (tree.above(at) >= 0 && spans.process(tree.above(at)) == spans.process(call)) {
      at = tree.above(at);
    }
    return at;
  }

  /** When the waiting span sent a call; {@link Spans#NO_QUEUE} if that is unknown. */
  private long sent(int top, int call) {
    if (!spans.isTimed(top)) {
      return Spans.NO_QUEUE;
    }
    if (spans.process(top) == spans.process(call)) {
      long queue = spans.queueNanos(top);
      return queue == Spans.NO_QUEUE || spans.process(waiting) == spans.process(call)
          ? Spans.NO_QUEUE
          : Math.min(
              spans.start(top),
              Math.max(spans.start(waiting), spans.start(top) - Math.max(0, queue)));
    }
    if (spans.process(top) != spans.process(waiting)) {
      return Spans.NO_QUEUE; // through a third process
    }
    return Math.min(
        spans.kind(top) == Span.PRODUCER ? spans.end(top) : spans.start(top), spans.start(call));
  }

  /** Whether the span itself sent all of them, and when is known. */
  boolean isKnown() {
    return isKnown;
  }

  int waiting() {
    return waiting;
  }

  int count() {
    return calls.length;
  }

  /** The n-th that was sent. */
  int call(int n) {
    return calls[n];
  }

  /** Its span right below the waiting one. */
  int top(int n) {
    return tops[n];
  }

  /** The first span of its process that is above it, or itself. */
  int receiver(int n) {
    return receivers[n];
  }

  long sentNanos(int n) {
    return sentNanos[n];
  }

  /** From the first that was sent to the last. */
  long spreadNanos() {
    return sentNanos[sentNanos.length - 1] - sentNanos[0];
  }

  /** From the first that was sent to the last end. */
  long extentNanos() {
    return Arrays.stream(calls).mapToLong(spans::end).max().orElse(0) - sentNanos[0];
  }

  /**
   * When a call ended. The end of its CLIENT span is on the sender's clock, as the times of sending
   * are; but the span may have ended without waiting.
   */
  private long end(int n) {
    return spans.kind(tops[n]) == Span.CLIENT && spans.end(tops[n]) > ended(n, spans.end(calls[n]))
        ? spans.end(tops[n])
        : spans.end(calls[n]);
  }

  /** From when on a call counts as ended: some spans end only after the reply was sent. */
  private long ended(int n, long end) {
    return end - Tolerance.nanos(spans.nanos(calls[n]));
  }

  /** The numbers of the calls in the order in which they count as ended, and that time. */
  private long[] ended(int[] byEnd) {
    long[] ended = new long[calls.length];
    Arrays.setAll(ended, n -> ended(n, end(n)));
    Arrays.setAll(byEnd, n -> n);
    IndexSort.sort(byEnd, (a, b) -> ended[a] != ended[b] ? ended[a] < ended[b] : a < b);
    return ended;
  }

  /** How many of them were under way at once, at most. */
  int mostAtOnce() {
    int[] byEnd = new int[calls.length];
    long[] ended = ended(byEnd);
    int count = 0;
    int most = 1;
    for (int i = 0; i < calls.length; i++) {
      while (count < byEnd.length && ended[byEnd[count]] <= sentNanos[i]) {
        count++;
      }
      most = Math.max(most, i + 1 - count);
    }
    return most;
  }

  /**
   * Whether the first calls were sent at once, and each other as soon as an earlier one had ended.
   *
   * @param atOnce how many were under way at once
   */
  boolean followEnds(int atOnce) {
    long all = Arrays.stream(calls).mapToLong(spans::nanos).sum();
    long soonNanos = Tolerance.nanos(all / calls.length);
    if (sentNanos[atOnce - 1] - sentNanos[0] > soonNanos) {
      return false;
    }
    int[] byEnd = new int[calls.length];
    long[] ended = ended(byEnd);
    int count = 0;
    long lastEnd = Long.MIN_VALUE;
    for (int i = atOnce; i < calls.length; i++) {
      while (count < byEnd.length && ended[byEnd[count]] <= sentNanos[i]) {
        lastEnd = Math.max(lastEnd, end(byEnd[count++]));
      }
      if (count == 0 || sentNanos[i] - lastEnd > soonNanos) {
        return false;
      }
    }
    return true;
  }

  /** The processes that executed them, each once. */
  IntStream processes() {
    return Arrays.stream(calls).map(spans::process).distinct();
  }

  /** How many processes these are. */
  int workers() {
    return (int) processes().count();
  }

  /** Whether clocks are good enough to compare ends of calls with times of sending. */
  boolean areClear(Clocks clocks) {
    for (int call : calls) {
      String host = spans.processOf(call).host();
      if (clocks.uncertaintyNanos(host) > Tolerance.nanos(spans.nanos(call))) {
        return false;
      }
    }
    return true;
  }

  /**
   * How much later than the first calls of a fan-out those of its straggler were sent.
   *
   * @param straggler its last process
   * @return 0 if they were not sent last, or took longer than those of its peers, or if clocks are
   *     too uncertain to tell
   */
  long lateNanos(int straggler, Clocks clocks) {
    if (!isKnown || !areClear(clocks)) {
      return 0;
    }
    Map<Integer, Integer> first = new HashMap<>(); // the order is that of the sending
    Map<Integer, Long> lastEnds = new HashMap<>();
    for (int i = 0; i < calls.length; i++) {
      int process = spans.process(calls[i]);
      first.putIfAbsent(process, i);
      lastEnds.merge(process, spans.end(calls[i]), Math::max);
    }
    int ofStraggler = first.getOrDefault(straggler, 0);
    if (first.values().stream().anyMatch(one -> one > ofStraggler)) {
      return 0;
    }
    LongStream.Builder peers = LongStream.builder();
    long took = 0;
    for (Map.Entry<Integer, Long> end : lastEnds.entrySet()) {
      long nanos = end.getValue() - sentNanos[first.getOrDefault(end.getKey(), 0)];
      if (end.getKey() == straggler) {
        took = nanos;
      } else {
        peers.add(nanos);
      }
    }
    long usual = LowerMedian.of(peers.build());
    return took > AS_LONG * usual ? 0 : sentNanos[ofStraggler] - sentNanos[0];
  }

  boolean areOfOneService() {
    String service = spans.processOf(calls[0]).serviceName();
    for (int call : calls) {
      if (!spans.processOf(call).serviceName().equals(service)) {
        return false;
      }
    }
    return true;
  }

  /** Whether each was sent in the same way, and none failed. */
  boolean areAlike() {
    for (int i = 0; i < calls.length; i++) {
      if (spans.name(tops[i]) != spans.name(tops[0])
          || spans.isError(calls[i])
          || spans.isError(tops[i])) {
        return false;
      }
    }
    return Arrays.stream(tops).distinct().count() == tops.length;
  }

  /** Whether the waiting span did nothing but send until the last call was sent. */
  boolean areOnlySent() {
    return areAlone(sentNanos[sentNanos.length - 1], true);
  }

  /** Whether the waiting span waited for nothing else until the last call had ended. */
  boolean areAlone() {
    return areAlone(sentNanos[0] + extentNanos(), false);
  }

  private boolean areAlone(long untilNanos, boolean mayPrepare) {
    int[] own = Arrays.copyOf(tops, 3 * tops.length);
    System.arraycopy(calls, 0, own, tops.length, calls.length);
    // The receiver's span of a call may have its work in a span below.
    for (int i = 0; i < calls.length; i++) {
      own[2 * calls.length + i] = waits.above(calls[i]);
    }
    Arrays.sort(own);
    for (int i = waited.firstAfter(waiting, sentNanos[0]); i < waits.childCount(waiting); i++) {
      int child = waits.child(waiting, i);
      if (spans.start(child) >= untilNanos) {
        break;
      }
      if (waited.reach(child) > sentNanos[0]
          && Arrays.binarySearch(own, child) < 0
          && !(mayPrepare && isPreparation(child))) {
        return false;
      }
    }
    return true;
  }

  /** Whether a span is the sender's own work before a send, such as the serialization of a call. */
  private boolean isPreparation(int child) {
    return spans.process(child) == spans.process(waiting)
        && spans.kind(child) != Span.CLIENT
        && spans.kind(child) != Span.PRODUCER
        && waits.childCount(child) == 0
        && waited.reach(child) <= sentNanos[sentNanos.length - 1];
  }
}
