package io.rollotel.traces.analysis;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random runs add up to the result for all traces at once, whatever the parts. */
class PartedWorldsTest extends PartedRunsFixture {

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("seeds")
  void forest_addsUpToTheWhole(long seed) throws IOException {
    Forest forest = Forest.lost(seed);
    List<Span> spans =
        forest.nodes.stream().filter(node -> !node.isVirtual).map(node -> node.span).toList();
    if (!spans.isEmpty()) {
      assertSame(spans, forest.run.open(), new Random(seed));
    }
  }

  /** Several runs and hosts, clocks that are off, weights, failures, and dates that are wrong. */
  private static List<Span> world(Random random) {
    int hosts = 1 + random.nextInt(3);
    long[] ahead = new long[hosts];
    for (int i = 1; i < hosts; i++) {
      ahead[i] = random.nextInt(5) == 0 ? random.nextInt(4_000) - 2_000L : 0;
    }
    boolean isWeighted = random.nextInt(4) == 0;
    boolean hasSteps = random.nextInt(3) != 0;
    boolean areOverlapping = random.nextInt(3) == 0;
    boolean isStarted = random.nextInt(4) == 0; // by hand: workers with run ids of their own
    List<Span> spans = new ArrayList<>();
    for (int trace = 1; trace <= 8 + random.nextInt(8); trace++) {
      String run = random.nextInt(3) == 0 ? "" : "run" + random.nextInt(3);
      Planted planted = new Planted(run);
      planted.standingFor(isWeighted && random.nextBoolean() ? 1 / 0.3 : 1);
      long at = areOverlapping ? 300L * trace + random.nextInt(300) : 1_000L * trace;
      if (random.nextInt(20) == 0) {
        at = -Planted.START + 1_000; // 1970
      }
      String driver = "driver@h0";
      long root =
          planted.span(
              trace,
              1,
              0,
              hasSteps && random.nextInt(6) != 0 ? "pipeline_step" : "job",
              driver,
              at,
              at + 900,
              "global_step",
              (long) trace);
      for (int worker = 0; worker < 4; worker++) {
        int host = worker % hosts;
        String process = "w" + worker + "@h" + host;
        long sent = at + 10 + random.nextInt(20);
        long begun = sent + random.nextInt(50) + ahead[host];
        long took = 100 + random.nextInt(300) + (worker == 3 ? 200 : 0);
        boolean isFailed = random.nextInt(10) == 0;
        planted.span(
            trace,
            10 + worker,
            random.nextInt(30) == 0 ? 7777 : root,
            "work",
            process,
            begun,
            begun + took,
            isFailed
                ? new Object[] {"failure", "out of memory at " + random.nextInt(1_000)}
                : new Object[] {"roll.queue_ns", begun - sent});
        planted.span(trace, 20 + worker, 10 + worker, "part", process, begun + 5, begun + took / 2);
      }
      if (random.nextInt(3) == 0) {
        requested(planted, trace, root, at, random);
      }
      if (random.nextInt(3) == 0) {
        planted.span(
            trace, 30, root, "f ray.remote", driver, at + 5, at + 9, "kind", 4, "ray.task_id", "x");
      }
      if (random.nextInt(4) == 0) {
        joined(planted, trace, root, at);
      }
      spans.addAll(planted.spans());
      if (isStarted) {
        Planted byHand = new Planted("invented" + trace);
        byHand.span(trace, 50, root, "work", "byHand" + trace + "@h0", at + 20, at + 60);
        spans.addAll(byHand.spans());
      }
    }
    return spans;
  }

  /** A call by a request that another agent traced: the worker's span names the span around it. */
  private static void requested(Planted planted, long trace, long root, long at, Random random) {
    long sender = random.nextInt(3) == 0 ? 8888 : root; // that one was not read
    long from = random.nextInt(8) == 0 ? -Planted.START + 1_000 : at + 50; // 1970
    planted.span(trace, 60, sender, "POST", "driver@h0", at + 40, at + 700, "kind", 3);
    planted.span(trace, 61, 60, "POST /call", "w0@h0", from, at + 690, "kind", 2);
    for (int call = 0; call < 2; call++) {
      long begun = at + 60 + 200 * call;
      long end = begun + 150 + 100L * random.nextInt(5); // after the request now and then
      String around = String.format("%016x", random.nextInt(6) == 0 ? 9999 : 61);
      planted.span(trace, 62 + call, sender, "work", "w0@h0", begun, end, "roll.around", around);
    }
  }

  /** A call that could not take its context along: its execution is a trace of its own. */
  private static void joined(Planted planted, long trace, long root, long at) {
    Object[] sent = {"kind", 4, "roll.join", "task", "task", "t" + trace};
    planted.span(trace, 40, root, "g ray.remote", "driver@h0", at + 400, at + 410, sent);
    Object[] executed = {"kind", 5, "roll.join", "task", "task", "t" + trace};
    planted.span(
        1_000 + trace, 41, 0, "g ray.remote_worker", "x1@h0", at + 420, at + 600, executed);
    planted.span(1_000 + trace, 42, 41, "part", "x1@h0", at + 430, at + 500);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("seeds")
  void worldOfRuns_addsUpToTheWhole(long seed) throws IOException {
    Random random = new Random(seed);
    assertSame(world(random), OpenSpans.NONE, random);
  }
}
