package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Lanes;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random forests of spans, in which every number is compared with one that was found by looking at
 * each nanosecond, or at each pair of spans, by itself. Children stick out of their parents,
 * parents are missing, times are equal or none.
 */
class ForestTest {

  private static final int LENGTH = 240;
  private static final String[] NAMES = {"pipeline_step", "a", "b", "c"};

  static LongStream seeds() {
    return LongStream.range(0, 400);
  }

  private final Planted planted = new Planted();
  private final Map<Long, Span> byId = new HashMap<>();
  private RunAnalysis run = planted.analysis();

  private void grow(long seed) {
    Random random = new Random(seed);
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
          parent(random, trace),
          NAMES[random.nextInt(NAMES.length)],
          "w" + random.nextInt(4),
          start,
          end,
          more.toArray());
    }
    // The order in the file says nothing.
    List<Span> shuffled = new ArrayList<>(planted.spans());
    Collections.shuffle(shuffled, random);
    Spans columns = new Spans();
    shuffled.forEach(columns::add);
    planted.spans().forEach(span -> byId.put(id(span.spanId()), span));
    run = Planted.analysis(columns, "planted");
  }

  /** An earlier span of the trace, one that is not there, or none. */
  private long parent(Random random, int trace) {
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

  @ParameterizedTest
  @MethodSource("seeds")
  void selfTime_isThatInWhichItWaitedForNobody(long seed) {
    grow(seed);
    for (int span : run.members()) {
      BitSet alone = time(of(span));
      waitedFor(of(span)).forEach(other -> alone.andNot(time(other)));
      assertThat(run.selfNanos(span)).isEqualTo(alone.cardinality());
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void criticalPath_isThatOfTheOracle(long seed) {
    grow(seed);
    CriticalPath path = run.criticalPath();
    for (int span : run.members()) {
      long[] expected = new long[LENGTH];
      oracle(of(span), start(of(span)), end(of(span)), end(of(span)), expected);
      long[] found = new long[LENGTH];
      path.follow(
          span,
          (at, isQueueWait, from, to) ->
              paint(found, from, to, isQueueWait ? -run.spans().id(at) : run.spans().id(at)));
      assertThat(found).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void pathOfATrace_coversItOnce(long seed) {
    grow(seed);
    for (int trace = 0; trace < run.spans().traces(); trace++) {
      String id = run.spans().traceId(trace);
      List<Span> tops =
          planted.spans().stream()
              .filter(span -> span.traceId().equals(id) && !byId.containsKey(parentId(span)))
              .toList();
      long from = tops.stream().mapToLong(ForestTest::start).min().orElseThrow();
      long to = tops.stream().mapToLong(ForestTest::end).max().orElseThrow();
      long[] reached = {Planted.START + to};
      run.criticalPath()
          .followTrace(
              trace,
              (span, isQueueWait, begin, end) -> {
                assertThat(end).isEqualTo(reached[0]).isGreaterThan(begin);
                reached[0] = begin;
              });
      assertThat(reached[0]).isEqualTo(Planted.START + from);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void phases_areOfTheChildThatEndsLast(long seed) {
    grow(seed);
    for (Steps.Step step : run.steps().all()) {
      Span span = of(step.span());
      Map<String, Long> expected = new HashMap<>();
      long rest = 0;
      for (long t = start(span); t < end(span); t++) {
        Span last = null;
        for (Span child : waitedFor(span)) {
          boolean runs = start(child) <= t && t < end(child);
          long reaches = Math.min(end(child), end(span));
          if (runs && (last == null || reaches > Math.min(end(last), end(span)))) {
            last = child;
          } else if (runs
              && last != null
              && reaches == Math.min(end(last), end(span))
              && isBefore(child, last, start(span))) {
            last = child;
          }
        }
        if (last == null) {
          rest++;
        } else {
          expected.merge(last.name(), 1L, Long::sum);
        }
      }
      Map<String, Long> found = new HashMap<>();
      step.phases()
          .forEach(phase -> found.put(run.spans().names().text(phase.name()), phase.nanos()));
      assertThat(found).isEqualTo(expected);
      assertThat(step.restNanos()).isEqualTo(rest);
      assertThat(step.wallNanos()).isEqualTo(end(span) - start(span));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void workers_areBusyWhereOneOfTheirSpansIs(long seed) {
    grow(seed);
    List<Span> steps = run.steps().all().stream().map(step -> of(step.span())).toList();
    for (Workers.Worker worker : run.workers().all()) {
      List<Span> own =
          planted.spans().stream()
              .filter(
                  span ->
                      span.resource()
                          .text("service.instance.id")
                          .equals(worker.process().instanceId()))
              .toList();
      BitSet busy = new BitSet();
      own.stream().filter(span -> !steps.contains(span)).forEach(span -> busy.or(time(span)));
      long first = own.stream().mapToLong(ForestTest::start).min().orElseThrow();
      long last = own.stream().mapToLong(ForestTest::end).max().orElseThrow();
      assertThat(worker.spans()).isEqualTo(own.size());
      assertThat(worker.busyNanos()).isEqualTo(busy.cardinality());
      assertThat(worker.idleNanos()).isEqualTo(last - first - busy.cardinality());
      assertThat(worker.isDriver()).isEqualTo(own.stream().anyMatch(steps::contains));
      long wall = 0;
      long inSteps = 0;
      for (Span step : steps) {
        BitSet during = time(step);
        during.and(busy);
        inSteps += during.cardinality();
        if (first < last && start(step) < last && end(step) > first) {
          wall += end(step) - start(step);
        }
        assertThat(run.workers().busyNanos(worker, step.startEpochNanos(), step.endEpochNanos()))
            .isEqualTo(during.cardinality());
      }
      assertThat(worker.stepBusyNanos()).isEqualTo(inSteps);
      if (first < last) {
        assertThat(worker.stepWallNanos()).isEqualTo(wall);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void lanes_holdSpansApartOrNested(long seed) {
    grow(seed);
    int[] byStart = run.members().clone();
    IndexSort.sort(
        byStart,
        (a, b) -> {
          Spans spans = run.spans();
          return spans.start(a) != spans.start(b)
              ? spans.start(a) < spans.start(b)
              : spans.end(a) > spans.end(b);
        });
    Lanes lanes = new Lanes(run.spans(), run.tree(), byStart);
    for (int a : byStart) {
      assertThat(lanes.lane(a)).isBetween(0, lanes.count(run.spans().process(a)) - 1);
      for (int b : byStart) {
        if (a != b
            && run.spans().process(a) == run.spans().process(b)
            && lanes.lane(a) == lanes.lane(b)) {
          long startA = run.spans().start(a);
          long endA = run.spans().end(a);
          long startB = run.spans().start(b);
          long endB = run.spans().end(b);
          assertThat(
                  endA <= startB
                      || endB <= startA
                      || (startA <= startB && endB <= endA)
                      || (startB <= startA && endA <= endB))
              .isTrue();
        }
      }
    }
  }

  /** Looks at all that the span waited for, at each moment. */
  private void oracle(Span span, long from, long to, long cut, long[] painted) {
    oracle(span, from, to, cut, painted, List.of());
  }

  /**
   * The same.
   *
   * @param below what the path is to go on in first, from the top; it was waited for by nobody here
   */
  private void oracle(Span span, long from, long to, long cut, long[] painted, List<Span> below) {
    long moment = to;
    if (!below.isEmpty()) {
      moment = Math.max(start(below.get(0)), from);
      oracle(below.get(0), moment, to, LENGTH, painted, below.subList(1, below.size()));
    }
    while (true) {
      Span chosen = null;
      for (Span other : waitedFor(span)) {
        long start = Math.max(start(other), from);
        long end = Math.min(end(other), cut);
        boolean isOver = start < end && start < moment && (end - moment) * 10 <= end - start;
        boolean isLater =
            chosen == null
                || end > Math.min(end(chosen), cut)
                || (end == Math.min(end(chosen), cut) && isBefore(other, chosen, Long.MIN_VALUE));
        if (isOver && isLater) {
          chosen = other;
        }
      }
      if (chosen == null) {
        paint(painted, Planted.START + from, Planted.START + moment, id(span.spanId()));
        return;
      }
      long reached = Math.min(end(chosen), moment);
      paint(painted, Planted.START + reached, Planted.START + moment, id(span.spanId()));
      long start = Math.max(start(chosen), from);
      oracle(chosen, start, reached, reached, painted);
      long sent = Math.min(start, Math.max(from, sent(chosen, start)));
      paint(painted, Planted.START + sent, Planted.START + start, -id(chosen.spanId()));
      List<Span> senders = new ArrayList<>();
      for (Span at = parent(chosen); !at.equals(span); at = parent(at)) {
        senders.add(0, at);
      }
      int alive = 0;
      while (alive < senders.size()
          && start(senders.get(alive)) < sent
          && sent <= end(senders.get(alive))) {
        alive++;
      }
      moment = sent;
      if (alive > 0) {
        Span first = senders.get(0);
        moment = Math.max(start(first), from);
        oracle(first, moment, sent, LENGTH, painted, senders.subList(1, alive));
      }
    }
  }

  /** When somebody sent it; its start where that is not known. */
  private long sent(Span span, long start) {
    Span parent = parent(span);
    if (parent.kind() == Span.PRODUCER && !waiter(span).equals(parent)) {
      return end(parent);
    }
    Object queue = span.attributes().get("roll.queue_ns");
    boolean isRemote = !parent.resource().equals(span.resource());
    return isRemote && queue instanceof Long nanos && nanos > 0 ? start(span) - nanos : start;
  }

  private Span parent(Span span) {
    return byId.get(parentId(span));
  }

  /** Those for whom the span waited. */
  private List<Span> waitedFor(Span span) {
    return planted.spans().stream()
        .filter(other -> !isTop(other) && span.equals(waiter(other)))
        .toList();
  }

  private boolean isTop(Span span) {
    Span parent = parent(span);
    return parent == null || !parent.traceId().equals(span.traceId());
  }

  /** The nearest ancestor that is still there when the span ends; null if that is none. */
  private Span waiter(Span span) {
    Span parent = parent(span);
    if (parent.kind() == Span.CLIENT) {
      return parent;
    }
    List<Span> above = new ArrayList<>();
    for (Span at = parent; at != null; at = isStep(at) || isTop(at) ? null : parent(at)) {
      above.add(at);
    }
    while (!above.isEmpty() && above.get(0).kind() == Span.PRODUCER) {
      above.remove(0);
    }
    if (above.isEmpty()) {
      return parent;
    }
    return above.stream()
        .filter(at -> (end(span) - end(at)) * 10 <= end(span) - start(span))
        .findFirst()
        .orElse(null);
  }

  private boolean isStep(Span span) {
    return run.steps().all().stream().anyMatch(step -> of(step.span()).equals(span));
  }

  private static void paint(long[] painted, long from, long to, long id) {
    for (long t = from; t < to; t++) {
      int at = (int) (t - Planted.START);
      assertThat(painted[at]).as("painted twice").isZero();
      painted[at] = id;
    }
  }

  private static boolean isBefore(Span a, Span b, long floor) {
    long startA = Math.max(start(a), floor);
    long startB = Math.max(start(b), floor);
    if (startA != startB) {
      return startA < startB;
    }
    return start(a) != start(b)
        ? start(a) < start(b)
        : end(a) != end(b) ? end(a) > end(b) : id(a.spanId()) < id(b.spanId());
  }

  private Span of(int span) {
    return byId.get(run.spans().id(span));
  }

  private List<Span> children(Span span) {
    return planted.spans().stream()
        .filter(
            child ->
                child.parentSpanId().equals(span.spanId())
                    && child.traceId().equals(span.traceId()))
        .toList();
  }

  private static BitSet time(Span span) {
    BitSet time = new BitSet();
    time.set((int) start(span), (int) end(span));
    return time;
  }

  private static long start(Span span) {
    return span.startEpochNanos() - Planted.START;
  }

  private static long end(Span span) {
    return span.endEpochNanos() - Planted.START;
  }

  private static long parentId(Span span) {
    return span.parentSpanId().isEmpty() ? 0 : id(span.parentSpanId());
  }

  private static long id(String hex) {
    return Long.parseUnsignedLong(hex.substring(hex.length() - 16), 16);
  }
}
