package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What each moment of a step depended on: who sent a span, who waited for it ({@link WaitTree}),
 * and what happened in which order. {@link StepReplay} replays it.
 *
 * <p>The parts of a span in its own process are ignored unless a call was sent from there.
 */
final class StepGraph {

  /** No node: the step itself has no sender, and a span may have no waiter. */
  static final int NONE = -1;

  private static final int NOT_SEEN = -2;

  private static final long UNKNOWN = Long.MIN_VALUE;

  // The events at one moment, in this order; between spans, the next criterion decides.
  static final int ALMOST_ENDED = 0;
  static final int END = 1;
  static final int SENT = 2;
  static final int START = 3;

  /** For a span that ends when it starts. */
  static final int END_AT_START = 4;

  private static final int KINDS = 8;

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;
  private final SentTimes sentTimes;

  /** Whether the descendants of a span are considered; for all spans of the run. */
  private final BitSet isOpened;

  /** The number of a span's node while its step is loaded. */
  private final int[] nodeOf;

  // The data of the loaded step.

  private int count;
  private int[] nodes = new int[64];
  private int[] senders = new int[64];
  private int[] waiters = new int[64];
  private int[] depths = new int[64];
  private long[] starts = new long[64];
  private long[] sent = new long[64];
  private long[] ends = new long[64];
  private long[] almostEnded = new long[64];

  /** A node and what happens to it: {@code node * KINDS + kind}. */
  private int[] events = new int[256];

  private int eventCount;

  private int[] way = new int[16];

  /**
   * Graphs of the steps of a run.
   *
   * @param rows the run's spans, and the rows for missing ones
   */
  StepGraph(Spans spans, SpanTree tree, SpanTree waits, StepUnits units, int[] rows) {
    this.spans = spans;
    this.tree = tree;
    this.waits = waits;
    this.sentTimes = new SentTimes(spans, tree, waits);
    this.nodeOf = new int[spans.size()];
    Arrays.fill(nodeOf, NONE);
    this.isOpened = new BitSet(spans.size());
    for (int span : rows) {
      int parent = tree.above(span);
      if (units.isStep(span)
          || spans.kind(span) == Span.SERVER
          || spans.kind(span) == Span.CONSUMER) {
        open(span);
      }
      if (parent >= 0 && spans.process(parent) != spans.process(span)) {
        open(parent);
      }
    }
  }

  // ---- the loaded step

  int nodeCount() {
    return count;
  }

  /** The node of a span of the step. */
  int node(int span) {
    return nodeOf[span];
  }

  int span(int node) {
    return nodes[node];
  }

  /** The node that a call was sent from, or {@link #NONE}. */
  int sender(int node) {
    return senders[node];
  }

  /** The node that waited for a node, or {@link #NONE}. */
  int waiter(int node) {
    return waiters[node];
  }

  /** When the node began: not before its sender did, even if clocks differ a little. */
  long start(int node) {
    return starts[node];
  }

  long sent(int node) {
    return sent[node];
  }

  /** When the node ended: at the latest when its waiter did. */
  long end(int node) {
    return ends[node];
  }

  /** The first moment at which the node counts as ended for the next that was sent. */
  long almostEnded(int node) {
    return almostEnded[node];
  }

  /** The number of events in the step, which are in order of time. */
  int eventCount() {
    return eventCount;
  }

  /** The node of an event. */
  int nodeOf(int event) {
    return events[event] / KINDS;
  }

  /** The kind of an event: {@link #START} and so on. */
  int kind(int event) {
    return events[event] % KINDS;
  }

  // ---- construction

  /** Whether a call was sent from below the span, so that its time is not only its own. */
  boolean isOpened(int span) {
    return isOpened.get(span);
  }

  private void open(int span) {
    for (int at = span; at >= 0 && !isOpened.get(at); at = tree.above(at)) {
      isOpened.set(at);
    }
  }

  /**
   * Loads another step.
   *
   * @param step its span
   * @param rows the spans in it, including its own
   */
  void load(int step, int[] rows) {
    // One method per loop: the JIT compiler compiles a long method, with everything it calls, again
    // for each of its loops.
    forget();
    ensureRoom(rows.length);
    number(step, rows);
    link(step);
    depthsAndTimes();
    ends();
    findAlmostEnded();
    order();
  }

  private void forget() {
    for (int i = 0; i < count; i++) {
      nodeOf[nodes[i]] = NONE;
    }
    count = 0;
  }

  private void number(int step, int[] rows) {
    for (int span : rows) {
      if (spans.isTimed(span)
          && (span == step || (tree.above(span) >= 0 && isOpened.get(tree.above(span))))) {
        nodeOf[span] = count;
        nodes[count++] = span;
      }
    }
  }

  private void link(int step) {
    for (int i = 0; i < count; i++) {
      boolean isTop = nodes[i] == step;
      senders[i] = isTop ? NONE : nearest(tree.above(nodes[i]));
      waiters[i] = isTop ? NONE : nearest(waits.above(nodes[i]));
    }
  }

  private void depthsAndTimes() {
    Arrays.fill(depths, 0, count, NOT_SEEN);
    Arrays.fill(starts, 0, count, UNKNOWN);
    for (int i = 0; i < count; i++) {
      depth(i);
      starts(i);
      times(i);
    }
  }

  private void ensureRoom(int length) {
    if (length <= nodes.length) {
      return;
    }
    int room = Math.max(length, 2 * nodes.length);
    nodes = Arrays.copyOf(nodes, room);
    senders = new int[room];
    waiters = new int[room];
    depths = new int[room];
    starts = new long[room];
    sent = new long[room];
    ends = new long[room];
    almostEnded = new long[room];
    events = new int[4 * room];
  }

  /** The node of the span, or otherwise of its nearest ancestor that has one. */
  private int nearest(int span) {
    int at = span;
    while (at >= 0 && nodeOf[at] == NONE) {
      at = tree.above(at);
    }
    return at < 0 ? NONE : nodeOf[at];
  }

  private void depth(int node) {
    int above = 0;
    int at = node;
    for (; depths[at] == NOT_SEEN && senders[at] != NONE; at = senders[at]) {
      above++;
    }
    int depth = above + Math.max(0, depths[at]);
    for (at = node; at != NONE && depths[at] == NOT_SEEN; at = senders[at]) {
      depths[at] = depth--;
    }
  }

  /** Not before the spans that sent it. */
  private void starts(int node) {
    int length = 0;
    int at = node;
    for (; at != NONE && starts[at] == UNKNOWN; at = senders[at]) {
      way = length == way.length ? Arrays.copyOf(way, 2 * length) : way;
      way[length++] = at;
    }
    long earliest = at == NONE ? Long.MIN_VALUE : starts[at];
    while (length-- > 0) {
      earliest = Math.max(earliest, spans.start(nodes[way[length]]));
      starts[way[length]] = earliest;
    }
  }

  private void times(int node) {
    long start = starts[node];
    int sender = senders[node];
    sent[node] =
        sender == NONE
            ? start
            : Math.min(start, Math.max(sentTimes.of(nodes[node]), starts[sender]));
  }

  /** Not after the spans that waited for it, nor those after the spans that waited for them. */
  private void ends() {
    Arrays.fill(ends, 0, count, UNKNOWN);
    for (int node = 0; node < count; node++) {
      int length = 0;
      for (int at = node; at != NONE && ends[at] == UNKNOWN; at = waiters[at]) {
        way = length == way.length ? Arrays.copyOf(way, 2 * length) : way;
        way[length++] = at;
        ends[at] = spans.end(nodes[at]);
      }
      while (length-- > 0) {
        int at = way[length];
        if (waiters[at] != NONE) {
          ends[at] = Math.max(starts[at], Math.min(ends[at], ends[waiters[at]]));
        }
      }
    }
  }

  /** For each node the first moment at which it counts as ended for the next that was sent. */
  private void findAlmostEnded() {
    int[] bySent = new int[count];
    Arrays.setAll(bySent, i -> i);
    IndexSort.sort(
        bySent, (a, b) -> waiters[a] != waiters[b] ? waiters[a] < waiters[b] : sent[a] < sent[b]);
    int from = 0;
    for (int i = 1; i <= count; i++) {
      if (i == count || waiters[bySent[i]] != waiters[bySent[from]]) {
        for (int j = from; j < i; j++) {
          almostEnded[bySent[j]] = firstSent(bySent, j, i, bySent[j]);
        }
        from = i;
      }
    }
  }

  /**
   * The first moment in the last tenth of a node's time at which another was sent; else its end.
   */
  private long firstSent(int[] bySent, int from, int to, int node) {
    long start = starts[node];
    long first = Math.max(start + 1, ends[node] - Tolerance.nanos(ends[node] - start));
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sent[bySent[middle]] < first) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == to ? ends[node] : Math.min(ends[node], sent[bySent[low]]);
  }

  private void order() {
    int size = 0;
    for (int i = 0; i < count; i++) {
      long start = starts[i];
      if (almostEnded[i] < ends[i]) {
        events[size++] = i * KINDS + ALMOST_ENDED;
      }
      events[size++] = i * KINDS + (ends[i] == start ? END_AT_START : END);
      if (sent[i] < start) {
        events[size++] = i * KINDS + SENT; // otherwise it is sent when it starts
      }
      events[size++] = i * KINDS + START;
    }
    int[] sorted = Arrays.copyOf(events, size);
    IndexSort.sort(sorted, this::isBefore);
    System.arraycopy(sorted, 0, events, 0, size);
    eventCount = size;
  }

  private boolean isBefore(int a, int b) {
    long timeA = time(a);
    long timeB = time(b);
    if (timeA != timeB) {
      return timeA < timeB;
    }
    int rankA = rank(a % KINDS);
    int rankB = rank(b % KINDS);
    if (rankA != rankB) {
      return rankA < rankB;
    }
    int depthA = depths[a / KINDS];
    int depthB = depths[b / KINDS];
    if (depthA != depthB) {
      return rankA == 1
          ? depthA < depthB
          : depthA > depthB; // ancestors begin first, descendants end first
    }
    return a % KINDS != b % KINDS ? a % KINDS < b % KINDS : a < b;
  }

  private static int rank(int kind) {
    return switch (kind) {
      case ALMOST_ENDED, END -> 0;
      case SENT, START -> 1;
      default -> 2;
    };
  }

  private long time(int event) {
    int node = event / KINDS;
    return switch (event % KINDS) {
      case ALMOST_ENDED -> almostEnded[node];
      case SENT -> sent[node];
      case START -> starts[node];
      default -> ends[node];
    };
  }
}
