package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random forests over several hosts, planted twice: with true times, and with each host's clock off
 * by a time of its own. {@link ForestTest} holds the numbers of true times to what is found by
 * looking at each nanosecond; here those of the corrected times are held to these.
 */
class SkewedForestTest {

  private static final int LENGTH = 240;
  private static final String[] NAMES = {"pipeline_step", "a", "b", "c"};

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(1000));
  }

  private record Node(
      long id, int trace, long parent, int host, String process, int kind, int start, int end) {}

  private final Planted truth = new Planted();
  private final Planted skewed = new Planted();
  private final List<Node> nodes = new ArrayList<>();
  private long[] ahead = {};

  /**
   * Plants a forest.
   *
   * @param maxDelay how long the call that each host gets can take there, and back
   */
  private void grow(long seed, int maxDelay) {
    Random random = new Random(seed);
    ahead = new long[2 + random.nextInt(3)];
    for (int host = 1; host < ahead.length; host++) {
      long most = random.nextBoolean() ? 20 : 1_000_000;
      ahead[host] = random.nextLong(2 * most + 1) - most;
    }
    int size = 1 + random.nextInt(60);
    for (int i = 0; i < size; i++) {
      plant(random);
    }
    for (int host = 1; host < ahead.length; host++) {
      int from = random.nextInt(host);
      int start = random.nextInt(40);
      int end = start + 2 * maxDelay + 1 + random.nextInt(LENGTH - 40 - 2 * maxDelay);
      Node sender = plant(new Node(1000 + host, 9, 0, from, "pin" + from, 1, start, end), "pin");
      int there = start + random.nextInt(maxDelay + 1);
      int back = end - random.nextInt(maxDelay + 1);
      plant(new Node(2000 + host, 9, sender.id, host, "pin" + host, 1, there, back), "pinned");
    }
  }

  private void plant(Random random) {
    int trace = 1 + random.nextInt(3);
    List<Node> ofTrace = nodes.stream().filter(node -> node.trace == trace).toList();
    int kind = 1 + random.nextInt(5);
    int worker = random.nextInt(6);
    int host = worker % ahead.length;
    int start = random.nextInt(LENGTH);
    int end = Math.min(LENGTH, start + random.nextInt(random.nextInt(4) == 0 ? LENGTH : 40));
    long id = nodes.size() + 1;
    int place = random.nextInt(12);
    if (place < 2 || ofTrace.isEmpty()) {
      long parent = place == 1 ? 9999 : 0;
      plant(new Node(id, trace, parent, host, "w" + worker, kind, start, end), name(random));
      return;
    }
    Node parent = ofTrace.get(random.nextInt(ofTrace.size()));
    if (parent.host != host) { // it begins after it was sent, and who waits for it does so
      start = Math.max(start, parent.start);
      end = Math.max(start, end);
      boolean isWaitedFor =
          parent.kind != Span.PRODUCER && end - start <= parent.end - parent.start;
      end = isWaitedFor ? Math.min(end, Math.max(start, parent.end)) : end;
      if (isWaitedFor && end > parent.end) {
        start = parent.end;
        end = parent.end;
      }
    }
    Node node = new Node(id, trace, parent.id, host, "w" + worker, kind, start, end);
    boolean isRemote = !parent.process.equals(node.process);
    if (isRemote && start >= parent.start && random.nextInt(2) == 0) {
      long queue = random.nextInt(start - parent.start + 1);
      plant(node, name(random), queue, queue + ahead[host] - ahead[parent.host]);
    } else {
      plant(node, name(random));
    }
  }

  private static String name(Random random) {
    return NAMES[random.nextInt(NAMES.length)];
  }

  /** Plants it, with its wait by true clocks and by those of the hosts, if it has one. */
  private Node plant(Node node, String name, long... queue) {
    nodes.add(node);
    String process = node.process + "@host" + node.host;
    long off = ahead[node.host];
    for (boolean isTrue : new boolean[] {true, false}) {
      List<Object> more = new ArrayList<>(List.of("kind", node.kind));
      if (queue.length > 0) {
        more.addAll(List.of("roll.queue_ns", queue[isTrue ? 0 : 1]));
      }
      (isTrue ? truth : skewed)
          .span(
              node.trace,
              node.id,
              node.parent,
              name,
              process,
              node.start + (isTrue ? 0 : off),
              node.end + (isTrue ? 0 : off),
              more.toArray());
    }
    return node;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void numbersOfCorrectedTimes_areThoseOfTrueOnes(long seed) {
    grow(seed, 0);
    RunAnalysis expected = truth.analysisOf();
    assertThat(expected.clocks().corrected()).as("equal clocks").isEmpty();
    RunAnalysis run = skewed.analysisOf();
    assertThat(run.clocks().doubtful()).isEmpty();
    Map<String, String> numbers = numbers(expected);
    assertThat(numbers(run)).containsExactlyInAnyOrderEntriesOf(numbers);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void correction_isOffByNoMoreThanItSays(long seed) {
    grow(seed, 1 + (int) (seed % 30));
    Clocks clocks = skewed.analysisOf().clocks();
    int told = 0;
    for (Clocks.Shift shift : clocks.shifts().values()) {
      long truly = ahead(shift.host()) - ahead(shift.reference());
      if (!shift.isAtLeast()) {
        assertThat(shift.nanos()).isCloseTo(truly, within(shift.uncertaintyNanos()));
        told++;
      }
    }
    boolean isUnnoticed = clocks.shifts().isEmpty();
    assertThat(told > 0 || isUnnoticed).isTrue();
    for (long off : ahead) {
      assertThat(isUnnoticed && Math.abs(off) > 1000).as("unnoticed").isFalse();
    }
  }

  private long ahead(String host) {
    return ahead[Integer.parseInt(host.substring("host".length()))];
  }

  /** All that a run says, with times since its start. */
  private static Map<String, String> numbers(RunAnalysis run) {
    Map<String, String> all = new TreeMap<>();
    Spans spans = run.spans();
    long start = run.startEpochNanos();
    all.put("wall", "" + run.wallNanos());
    for (int span : run.members()) {
      StringBuilder path = new StringBuilder();
      run.criticalPath()
          .follow(
              span,
              (at, isQueueWait, from, to) ->
                  path.append(isQueueWait ? " wait " : " ")
                      .append(spans.spanId(at))
                      .append(' ')
                      .append(from - start)
                      .append('-')
                      .append(to - start));
      all.put("path of " + spans.spanId(span), path.toString());
      all.put("self of " + spans.spanId(span), "" + run.selfNanos(span));
      all.put("start of " + spans.spanId(span), "" + (spans.start(span) - start));
    }
    run.nameTotals()
        .forEach(name -> all.put("name " + name.name(), name.count() + " " + name.totalNanos()));
    for (Steps.Step step : run.steps().all()) {
      Map<String, Long> phases = new TreeMap<>();
      step.phases().forEach(phase -> phases.put(spans.names().text(phase.name()), phase.nanos()));
      all.put(
          "step " + spans.spanId(step.span()),
          step.wallNanos() + " " + step.restNanos() + " " + phases);
    }
    run.path().names().forEach(of -> all.put("path name " + of.number(), "" + of.nanos()));
    run.path().processes().forEach(of -> all.put("path process " + of.number(), "" + of.nanos()));
    run.path()
        .queues()
        .forEach(of -> all.put("path wait " + of.name() + " " + of.process(), "" + of.nanos()));
    run.fanOuts().forEach(of -> all.put("fan-out " + of.name(), of.toString()));
    run.queues().forEach(of -> all.put("queue " + of.name(), of.toString()));
    run.overlappedWork().forEach(of -> all.put("overlapped " + of.name(), of.toString()));
    run.roots()
        .forEach(of -> all.put("root " + of.name(), of.roots().totalNanos() + " " + of.services()));
    for (Workers.Worker worker : run.workers().all()) {
      all.put(
          "worker " + worker.process().instanceId(),
          worker.busyNanos()
              + " "
              + worker.workNanos()
              + " "
              + worker.lifeNanos()
              + " "
              + worker.stepWallNanos()
              + " "
              + worker.stepBusyNanos());
    }
    return all;
  }
}
