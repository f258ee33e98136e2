package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Forest.Node;
import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.Lanes;
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
 * each nanosecond, or at each pair of spans, by itself.
 */
class ForestTest {

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(1000));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void selfTime_isThatInWhichItWaitedForNobody(long seed) {
    Forest forest = Forest.random(seed);
    RunAnalysis run = forest.run;
    for (int span : run.members()) {
      BitSet alone = forest.of(span).time();
      forest.waitedFor(forest.of(span)).forEach(other -> alone.andNot(other.time()));
      assertThat(run.selfNanos(span)).isEqualTo(alone.cardinality());
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void criticalPath_isThatOfTheOracle(long seed) {
    Forest forest = Forest.random(seed);
    RunAnalysis run = forest.run;
    PathOracle oracle = new PathOracle(forest);
    CriticalPath path = run.criticalPath();
    for (int span : run.members()) {
      long[] found = forest.painted(sink -> path.follow(span, sink));
      assertThat(found).isEqualTo(oracle.path(forest.of(span)));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void pathOfATrace_coversItOnce(long seed) {
    Forest forest = Forest.random(seed);
    RunAnalysis run = forest.run;
    for (int trace = 0; trace < run.spans().traces(); trace++) {
      String id = run.spans().traceId(trace);
      List<Node> tops =
          forest.nodes.stream()
              .filter(node -> node.span.traceId().equals(id) && node.parent == null)
              .toList();
      long from = tops.stream().mapToLong(node -> node.start).min().orElseThrow();
      long to = tops.stream().mapToLong(node -> node.end).max().orElseThrow();
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
    Forest forest = Forest.random(seed);
    RunAnalysis run = forest.run;
    assertThat(run.steps().all()).hasSameSizeAs(forest.steps);
    for (int i = 0; i < forest.steps.size(); i++) {
      assertPhases(forest, forest.steps.get(i), run.steps().all().get(i));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void workers_areBusyWhereOneOfTheirSpansIs(long seed) {
    Forest forest = Forest.random(seed);
    RunAnalysis run = forest.run;
    for (Workers.Worker worker : run.workers().all()) {
      List<Node> own =
          forest.nodes.stream()
              .filter(node -> node.process().equals(worker.process().instanceId()))
              .toList();
      BitSet busy = new BitSet();
      own.stream().filter(node -> !forest.isStep(node)).forEach(node -> busy.or(node.time()));
      long first = own.stream().mapToLong(node -> node.start).min().orElseThrow();
      long last = own.stream().mapToLong(node -> node.end).max().orElseThrow();
      assertThat(worker.spans()).isEqualTo(own.size());
      assertThat(worker.busyNanos()).isEqualTo(busy.cardinality());
      assertThat(worker.idleNanos()).isEqualTo(last - first - busy.cardinality());
      assertThat(worker.isDriver()).isEqualTo(own.stream().anyMatch(forest::isStep));
      assertInSteps(forest, worker, busy, first, last);
    }
  }

  /** What is asked for many steps at once, in order or not, is what is asked for each. */
  private static void assertOneByOne(Forest forest, Workers.Worker worker) {
    Workers workers = forest.run.workers();
    List<Node> steps = new ArrayList<>(forest.steps);
    for (int order = 0; order < 3; order++) {
      long[] from = steps.stream().mapToLong(step -> step.span.startEpochNanos()).toArray();
      long[] to = steps.stream().mapToLong(step -> step.span.endEpochNanos()).toArray();
      long[] expected = new long[from.length];
      for (int i = 0; i < from.length; i++) {
        boolean isAlive = workers.isAlive(worker, from[i], to[i]);
        expected[i] = isAlive ? workers.busyNanos(worker, from[i], to[i]) : -1;
      }
      assertThat(workers.busyNanos(worker, from, to)).isEqualTo(expected);
      Collections.shuffle(steps, new Random(order));
    }
  }

  private static void assertInSteps(
      Forest forest, Workers.Worker worker, BitSet busy, long first, long last) {
    long wall = 0;
    long inSteps = 0;
    BitSet union = new BitSet();
    BitSet ofLife = new BitSet();
    for (Node step : forest.steps) {
      BitSet during = step.time();
      union.or(during);
      during.and(busy);
      inSteps += during.cardinality();
      if (step.start < last && step.end > first) {
        wall += step.end - step.start;
        ofLife.or(step.time());
      }
      long from = step.span.startEpochNanos();
      assertThat(forest.run.workers().busyNanos(worker, from, step.span.endEpochNanos()))
          .isEqualTo(during.cardinality());
    }
    assertOneByOne(forest, worker);
    union.and(busy);
    boolean isUnion = forest.run.steps().areOverlapping();
    assertThat(worker.stepBusyNanos()).isEqualTo(isUnion ? union.cardinality() : inSteps);
    if (first < last) {
      assertThat(worker.stepWallNanos()).isEqualTo(isUnion ? ofLife.cardinality() : wall);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void lanes_holdSpansApartOrNested(long seed) {
    Forest forest = Forest.random(seed);
    RunAnalysis run = forest.run;
    int[] byStart = Lanes.byStart(run.spans(), run.tree(), run.members());
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

  static void assertPhases(Forest forest, Node span, Steps.Step step) {
    Map<String, Long> expected = new HashMap<>();
    long rest = 0;
    List<Node> children = forest.phases(span);
    for (long t = span.start; t < span.end; t++) {
      Node last = null;
      for (Node child : children) {
        boolean runs = child.start <= t && t < child.end;
        if (runs && (last == null || isLonger(child, last, span))) {
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
        .forEach(phase -> found.put(forest.run.spans().names().text(phase.name()), phase.nanos()));
    assertThat(found).isEqualTo(expected);
    assertThat(step.restNanos()).isEqualTo(rest);
    assertThat(step.wallNanos()).isEqualTo(span.end - span.start);
  }

  private static boolean isLonger(Node a, Node b, Node within) {
    long endA = Math.min(a.end, within.end);
    long endB = Math.min(b.end, within.end);
    if (endA != endB) {
      return endA > endB;
    }
    long startA = Math.max(a.start, within.start);
    long startB = Math.max(b.start, within.start);
    return startA != startB ? startA < startB : a.isBefore(b);
  }
}
