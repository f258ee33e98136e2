package io.rollotel.traces.analysis;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
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
    final long start;
    final long end;
    final boolean isVirtual;
    @Nullable Node parent;

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

  private record Place(long trace, long id) {}

  private final Map<Place, Node> byPlace = new HashMap<>();
  final List<Node> nodes = new ArrayList<>();
  final RunAnalysis run;

  /** The steps by start, found by their names. */
  final List<Node> steps = new ArrayList<>();

  /** The waiter of each node but tops, once it was asked for. */
  private final Map<Node, @Nullable Node> waiters = new HashMap<>();

  private Forest(List<Span> spans, RunAnalysis run) {
    this.run = run;
    spans.forEach(span -> add(span, false));
    for (Node node : nodes) {
      node.parent = byPlace.get(new Place(node.trace, node.parentId()));
    }
    findSteps();
  }

  private Node add(Span span, boolean isVirtual) {
    Node node = new Node(nodes.size() + 1, span, isVirtual);
    nodes.add(node);
    byPlace.put(new Place(node.trace, node.id), node);
    return node;
  }

  /** Spans with nothing but chance between them. */
  static Forest random(long seed) {
    Random random = new Random(seed);
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
    return of(planted, random);
  }

  /** The spans in an order that says nothing. */
  static Forest of(Planted planted, Random random) {
    List<Span> shuffled = new ArrayList<>(planted.spans());
    Collections.shuffle(shuffled, random);
    Spans columns = new Spans();
    shuffled.forEach(columns::add);
    return new Forest(planted.spans(), Planted.analysis(columns, "planted"));
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

  /** The outermost spans of the step's name; where there are none the roots. */
  private void findSteps() {
    boolean areTraces =
        nodes.stream().noneMatch(node -> node.name().equals(RunAnalysis.PIPELINE_STEP));
    for (Node node : nodes) {
      boolean isStep = areTraces ? node.parentId() == 0 : isOutermostStep(node);
      if (isStep) {
        steps.add(node);
      }
    }
    steps.sort(
        (a, b) -> a.start != b.start ? Long.compare(a.start, b.start) : a.isBefore(b) ? -1 : 1);
  }

  private static boolean isOutermostStep(Node node) {
    boolean isStep = node.name().equals(RunAnalysis.PIPELINE_STEP);
    for (Node at = node.parent; at != null; at = at.parent) {
      isStep &= !at.name().equals(RunAnalysis.PIPELINE_STEP);
    }
    return isStep;
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

  /** Those for whom the span waited. */
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

  /** The nearest ancestor that is still there when the span ends; null if that is none. */
  private @Nullable Node findWaiter(Node span) {
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

  /** Those that can have a phase of a step. */
  List<Node> phases(Node step) {
    return waitedFor(step);
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

  private static long id(String hex) {
    return Long.parseUnsignedLong(hex.substring(hex.length() - 16), 16);
  }
}
