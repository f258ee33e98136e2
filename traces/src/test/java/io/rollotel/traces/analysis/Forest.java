package io.rollotel.traces.analysis;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Random spans, and who waited for whom among them, by the definitions of docs/analysis.md: found
 * by looking at each pair of spans by itself. Children stick out of their parents, parents are
 * missing, times are equal or none.
 */
final class Forest {

  static final int LENGTH = 240;

  private static final String[] NAMES = {RunAnalysis.PIPELINE_STEP, "a", "b", "c"};

  /** A span; times are since {@link Planted#START}. */
  static final class Node {
    /** Its place among all, from 1 on. */
    final int number;

    final Span span;
    final long trace;
    final long id;
    long start;
    long end;
    final boolean isVirtual;
    @Nullable Node parent;

    /** Whether it stands for the root of its trace. */
    boolean isVirtualRoot;

    Node(int number, Span span, boolean isVirtual) {
      this.number = number;
      this.span = span;
      this.trace = id(span.traceId());
      this.id = id(span.spanId());
      this.start = span.startEpochNanos() - Planted.START;
      this.end = span.endEpochNanos() - Planted.START;
      this.isVirtual = isVirtual;
    }

    String name() {
      return span.name();
    }

    String process() {
      return span.resource().text("service.instance.id");
    }

    long parentId() {
      return span.parentSpanId().isEmpty() ? 0 : id(span.parentSpanId());
    }

    boolean isSent() {
      return span.kind() == Span.SERVER || span.kind() == Span.CONSUMER;
    }

    BitSet time() {
      BitSet time = new BitSet();
      time.set((int) start, (int) end);
      return time;
    }

    /** The order of siblings. */
    boolean isBefore(Node other) {
      return start != other.start
          ? start < other.start
          : end != other.end ? end > other.end : Long.compareUnsigned(id, other.id) < 0;
    }
  }

  record Place(long trace, long id) {}

  final Map<Place, Node> byPlace = new HashMap<>();
  final List<Node> nodes = new ArrayList<>();
  final RunAnalysis run;

  /** The steps by start, found by their names. */
  final List<Node> steps = new ArrayList<>();

  /** The waiter of each node but tops, once it was asked for. */
  private final Map<Node, @Nullable Node> waiters = new HashMap<>();

  private Forest(List<Span> spans, List<Span> open, boolean isCompleted, RunAnalysis run) {
    this.run = run;
    spans.forEach(span -> add(span, false));
    for (Node node : nodes) {
      node.parent = byPlace.get(new Place(node.trace, node.parentId()));
    }
    if (isCompleted) {
      new LostNodes(this, open).add();
    }
    findSteps();
  }

  Node add(Span span, boolean isVirtual) {
    Node node = new Node(nodes.size() + 1, span, isVirtual);
    nodes.add(node);
    byPlace.put(new Place(node.trace, node.id), node);
    return node;
  }

  /** Spans that are related only by chance. */
  static Forest random(long seed) {
    Random random = new Random(seed);
    return of(grown(random), random);
  }

  private static Planted grown(Random random) {
    return random.nextInt(4) == 0 ? inSequence(random) : byChance(random);
  }

  /** Steps that do one thing after the other, with calls that go on for longer than that. */
  private static Planted inSequence(Random random) {
    Planted planted = new Planted();
    int steps = 1 + random.nextInt(3);
    for (int step = 0; step < steps; step++) {
      int from = step * LENGTH / steps;
      int to = from + LENGTH / steps;
      long root = planted.span(1, 0, RunAnalysis.PIPELINE_STEP, "driver", from, to);
      int at = from;
      while (at < to - 2) {
        int end = at + 1 + random.nextInt(to - at - 1);
        long phase = planted.span(1, root, NAMES[1 + random.nextInt(3)], "driver", at, end);
        for (int call = random.nextInt(3); call > 0; call--) {
          int begin = at + random.nextInt(end - at);
          int over = Math.min(LENGTH, begin + 1 + random.nextInt(LENGTH / 2));
          int kind = 1 + random.nextInt(5);
          planted.span(
              1,
              phase,
              "call" + random.nextInt(4),
              "w" + random.nextInt(4),
              begin,
              over,
              "kind",
              kind);
        }
        at = end + random.nextInt(4);
      }
    }
    return planted;
  }

  private static Planted byChance(Random random) {
    Planted planted = new Planted();
    int size = 1 + random.nextInt(60);
    for (int i = 0; i < size; i++) {
      int trace = 1 + random.nextInt(3);
      int start = random.nextInt(LENGTH);
      int end = Math.min(LENGTH, start + random.nextInt(random.nextInt(4) == 0 ? LENGTH : 40));
      List<Object> more = new ArrayList<>();
      if (random.nextInt(2) == 0) {
        more.addAll(List.of("kind", 1 + random.nextInt(5)));
      }
      if (random.nextInt(4) == 0) {
        more.addAll(List.of("roll.queue_ns", (long) random.nextInt(40) - 5));
      }
      planted.span(
          trace,
          parent(planted, random, trace),
          NAMES[random.nextInt(NAMES.length)],
          "w" + random.nextInt(4),
          start,
          end,
          more.toArray());
    }
    return planted;
  }

  /** The spans in an order that says nothing. */
  static Forest of(Planted planted, Random random) {
    List<Span> shuffled = new ArrayList<>(planted.spans());
    Collections.shuffle(shuffled, random);
    Spans columns = new Spans();
    shuffled.forEach(columns::add);
    return new Forest(planted.spans(), List.of(), false, Planted.analysis(columns, "planted"));
  }

  /** The same as {@link #random} of which spans were lost; some of these had not ended. */
  static Forest lost(long seed) {
    Random random = new Random(seed);
    Planted planted = grown(random);
    List<Span> spans = new ArrayList<>();
    List<Span> open = new ArrayList<>();
    for (Span span : planted.spans()) {
      boolean isLost = random.nextInt(span.parentSpanId().isEmpty() ? 2 : 4) == 0;
      if (!isLost) {
        spans.add(span);
      } else if (random.nextInt(3) == 0) {
        open.add(span);
      }
    }
    Recording[] recordings =
        open.stream()
            .map(
                span ->
                    planted.recording(
                        span.resource().text("service.instance.id"),
                        true,
                        LENGTH,
                        planted.open(
                            id(span.traceId()),
                            id(span.spanId()),
                            span.parentSpanId().isEmpty() ? 0 : id(span.parentSpanId()),
                            span.name(),
                            span.startEpochNanos() - Planted.START)))
            .toArray(Recording[]::new);
    planted.spans().retainAll(spans);
    Collections.shuffle(planted.spans(), random);
    return new Forest(spans, open, true, planted.analysisOf(recordings));
  }

  /** An earlier span of the trace, one that is not there, or none. */
  private static long parent(Planted planted, Random random, int trace) {
    int kind = random.nextInt(12);
    if (kind == 0) {
      return 0;
    }
    if (kind == 1) {
      return 9999;
    }
    List<Span> ofTrace =
        planted.spans().stream().filter(span -> id(span.traceId()) == trace).toList();
    return ofTrace.isEmpty() ? 0 : id(ofTrace.get(random.nextInt(ofTrace.size())).spanId());
  }

  /**
   * The outermost spans of the step's name, open ones where none has ended; where there are none
   * the roots.
   */
  private void findSteps() {
    List<Node> named =
        nodes.stream().filter(node -> node.name().equals(RunAnalysis.PIPELINE_STEP)).toList();
    boolean hasEnded = named.stream().anyMatch(node -> !node.isVirtual);
    for (Node node : nodes) {
      boolean isRoot = node.isVirtual ? node.isVirtualRoot : node.parentId() == 0;
      boolean isStep = named.isEmpty() ? isRoot : isStep(node, hasEnded);
      for (Node at = node.parent; at != null && !named.isEmpty(); at = at.parent) {
        isStep &= !isStep(at, hasEnded);
      }
      if (isStep) {
        steps.add(node);
      }
    }
    steps.sort(
        (a, b) -> a.start != b.start ? Long.compare(a.start, b.start) : a.isBefore(b) ? -1 : 1);
  }

  private static boolean isStep(Node node, boolean hasEnded) {
    return node.name().equals(RunAnalysis.PIPELINE_STEP) && !(node.isVirtual && hasEnded);
  }

  boolean isStep(Node node) {
    return steps.contains(node);
  }

  /** The node of a row. */
  Node of(int row) {
    Spans spans = run.spans();
    Node node = byPlace.get(new Place(id(spans.traceIdOf(row)), spans.id(row)));
    return Objects.requireNonNull(node);
  }

  /** The spans for which this span waited. */
  List<Node> waitedFor(Node span) {
    return nodes.stream()
        .filter(other -> other.parent != null && span.equals(waiter(other)))
        .toList();
  }

  /** Who waited for a span that is no top; null if nobody did. */
  @Nullable Node waiter(Node span) {
    if (!waiters.containsKey(span)) {
      waiters.put(span, findWaiter(span));
    }
    return waiters.get(span);
  }

  private @Nullable Node findWaiter(Node span) {
    Node ancestor = stillThere(span);
    for (Node at = span; at != null && !at.equals(ancestor); at = at.parent) {
      if (ancestor != null && ancestor.equals(late(at)) && isAbandoned(at, ancestor)) {
        return null;
      }
    }
    return ancestor;
  }

  /** The ancestor that may have waited for a span that outlived its parent; null for others. */
  private @Nullable Node late(Node span) {
    Node ancestor = span.parent == null ? null : stillThere(span);
    return ancestor == null || ancestor.equals(span.parent) ? null : ancestor;
  }

  /** Whether all calls of that name for which the ancestor may have waited were given up. */
  private boolean isAbandoned(Node call, Node ancestor) {
    return nodes.stream()
        .filter(other -> other.name().equals(call.name()) && ancestor.equals(late(other)))
        .allMatch(other -> isGivenUp(other, ancestor));
  }

  private boolean isGivenUp(Node call, Node ancestor) {
    Node caller = Objects.requireNonNull(call.parent);
    long together = caller.end - Math.max(caller.start, call.start);
    boolean isLast = isLastTry(caller, call);
    Node child = caller;
    while (!ancestor.equals(child.parent)) {
      child = Objects.requireNonNull(child.parent);
    }
    long from = child.end;
    List<Node> next =
        nodes.stream()
            .filter(other -> ancestor.equals(other.parent))
            .filter(other -> other.start >= from && other.start < call.end)
            .sorted((a, b) -> a.isBefore(b) ? -1 : 1)
            .toList();
    if (!isLast || together * 50 <= call.end - call.start || next.isEmpty() || next.size() > 64) {
      return false;
    }
    BitSet idle = new BitSet();
    idle.set((int) from, (int) call.end);
    boolean isSequence = true;
    for (int i = 0; i < next.size(); i++) {
      Node other = next.get(i);
      isSequence &= next.subList(0, i).stream().allMatch(before -> before.end <= other.start);
      idle.clear((int) other.start, (int) other.end);
    }
    Node last = next.get(next.size() - 1);
    return isSequence
        && idle.cardinality() * 10L <= call.end - from
        && (last.end - call.end) * 10 > last.end - last.start;
  }

  /**
   * Whether a caller began nothing after a call, or only tries of the same, one after the other.
   */
  private boolean isLastTry(Node caller, Node call) {
    List<Node> after =
        nodes.stream()
            .filter(other -> caller.equals(other.parent) && call.isBefore(other))
            .sorted((a, b) -> a.isBefore(b) ? -1 : 1)
            .toList();
    if (after.isEmpty()) {
      return true;
    }
    Node last = after.get(after.size() - 1);
    long tookNanos = last.end - last.start;
    Node before = call;
    boolean areTries = (last.end - caller.end) * 10 <= tookNanos;
    for (Node next : after) {
      areTries &= next.name().equals(call.name());
      areTries &= next.start - before.start >= Math.max(1, tookNanos);
      before = next;
    }
    return areTries;
  }

  /** The nearest ancestor that is still there when the span ends; null if that is none. */
  private @Nullable Node stillThere(Node span) {
    Node parent = span.parent;
    if (parent == null || parent.span.kind() == Span.CLIENT) {
      return parent;
    }
    List<Node> above = new ArrayList<>();
    for (Node at = parent; at != null; at = isStep(at) ? null : at.parent) {
      above.add(at);
    }
    while (!above.isEmpty() && above.get(0).span.kind() == Span.PRODUCER) {
      above.remove(0);
    }
    if (above.isEmpty()) {
      return parent;
    }
    return above.stream()
        .filter(at -> (span.end - at.end) * 10 <= span.end - span.start)
        .findFirst()
        .orElse(null);
  }

  /** The spans that can have a phase of a step. */
  List<Node> phases(Node step) {
    return waitedFor(step).stream()
        .flatMap(
            child ->
                child.name().equals(LostParents.NOT_THERE)
                    ? waitedFor(child).stream()
                    : Stream.of(child))
        .toList();
  }

  /** A path by the numbers of nodes for each nanosecond, negative in the queue, 0 in no span. */
  long[] painted(Consumer<CriticalPath.Sink> follower) {
    long[] painted = new long[LENGTH];
    follower.accept(
        (span, isQueueWait, from, to) -> {
          int number = span == CriticalPath.NO_SPAN ? 0 : of(span).number;
          PathOracle.paint(
              painted, from - Planted.START, to - Planted.START, isQueueWait ? -number : number);
        });
    return painted;
  }

  static long id(String hex) {
    return Long.parseUnsignedLong(hex.substring(hex.length() - 16), 16);
  }
}
