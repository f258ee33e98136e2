package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that wait for the slowest of them before their calls end. */
class CollectivesTest {

  private static final int STEPS = 20;

  private final Planted planted = new Planted();

  private enum Way {
    PAYLOAD,
    CLIENT
  }

  /** How long a worker works in a step: forward, then backward; 0 for no span. */
  private interface Work {
    long[] nanos(int step, int worker);
  }

  /**
   * Steps in which the driver sends {@code train} to all workers. Each goes forward and backward,
   * and then waits for the last in {@code allReduce}, which takes another 20.
   */
  private RunAnalysis run(Way way, int steps, int workers, Work work) {
    long at = 0;
    for (int step = 0; step < steps; step++) {
      long[][] times = new long[workers][];
      long last = 0;
      for (int worker = 0; worker < workers; worker++) {
        times[worker] = work.nanos(step, worker);
        last = Math.max(last, Arrays.stream(times[worker]).sum());
      }
      long from = at + 10;
      long to = from + 2 + last + 20 + 2;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, to + 30);
      long update = planted.span(step + 1, root, "update", "driver", at + 5, to + 5);
      for (int worker = 0; worker < workers; worker++) {
        long call = call(way, step + 1, update, host(worker), from, to);
        long now = from + 2;
        String[] names = {"forward", "backward"};
        for (int i = 0; i < 2; i++) {
          if (times[worker][i] > 0) {
            planted.span(step + 1, call, names[i], host(worker), now, now + times[worker][i]);
          }
          now += times[worker][i];
        }
        planted.span(step + 1, call, "allReduce", host(worker), now, to - 2);
      }
      at = to + 40;
    }
    return planted.analysis();
  }

  private long call(Way way, long trace, long parent, String to, long from, long end) {
    if (way == Way.PAYLOAD) {
      return planted.span(trace, parent, "train", to, from, end, "roll.queue_ns", 5L);
    }
    long sender =
        planted.span(trace, parent, "POST", "driver", from - 4, end + 4, "kind", Span.CLIENT);
    long server = planted.span(trace, sender, "POST /", to, from, end, "kind", Span.SERVER);
    return planted.span(trace, server, "train", to, from, end);
  }

  private static String host(int worker) {
    return "w" + worker + "@host" + worker / 2;
  }

  private static List<Finding> slow(RunAnalysis run) {
    return run.findings().stream()
        .filter(one -> one.kind() == Kind.SLOW_WORKER || one.kind() == Kind.SLOW_HOST)
        .toList();
  }

  private static List<String> instances(RunAnalysis run, Finding finding) {
    return finding.processes().stream()
        .map(process -> run.spans().processes().get(process).instanceId())
        .toList();
  }

  private static String name(RunAnalysis run, int name) {
    return run.spans().names().text(name);
  }

  private static long fastNanos(int workers) {
    return new CollectivesTest()
        .run(Way.PAYLOAD, STEPS, workers, (step, worker) -> new long[] {500, 300})
        .steps()
        .wallNanos();
  }

  @ParameterizedTest
  @EnumSource
  void slowRank_isNamedThoughAllCallsTakeTheSame(Way way) {
    RunAnalysis run =
        run(way, STEPS, 4, (step, worker) -> new long[] {worker == 3 ? 1000 : 500, 300});
    assertThat(slow(run)).hasSize(1);
    Finding finding = slow(run).get(0);
    assertThat(finding.kind()).isEqualTo(Kind.SLOW_WORKER);
    assertThat(instances(run, finding)).containsExactly("w3");
    assertThat(name(run, finding.name())).isEqualTo("forward");
    assertThat(finding.ratio()).isEqualTo(2);
    assertThat(finding.times()).isEqualTo(STEPS);
    assertThat(finding.of()).isEqualTo(STEPS);
    assertThat(name(run, finding.below().waitedForIn())).isEqualTo("allReduce");
    assertThat(finding.savesNanos()).isEqualTo(run.steps().wallNanos() - fastNanos(4));
    assertThat(finding.evidence())
        .allMatch(span -> name(run, run.spans().name(span)).equals("forward"));
  }

  @Test
  void ofTwoRanks_theOneThatIsWaitedForIsSlow() {
    RunAnalysis run =
        run(Way.PAYLOAD, STEPS, 2, (step, worker) -> new long[] {worker == 0 ? 1000 : 500, 300});
    assertThat(slow(run)).hasSize(1);
    assertThat(instances(run, slow(run).get(0))).containsExactly("w0");
    assertThat(name(run, slow(run).get(0).name())).isEqualTo("forward");
  }

  @Test
  void rankThatIsSlowInEverything_savesAllOfIt() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            STEPS,
            4,
            (step, worker) -> new long[] {worker == 1 ? 1000 : 500, worker == 1 ? 600 : 300});
    assertThat(slow(run)).hasSize(1);
    assertThat(slow(run).get(0).savesNanos()).isEqualTo(run.steps().wallNanos() - fastNanos(4));
  }

  @Test
  void rankThatIsSlowInTheCallItself_isNamed() {
    for (int step = 0; step < STEPS; step++) {
      long at = step * 2_000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 1_100);
      for (int worker = 0; worker < 4; worker++) {
        String on = host(worker);
        long call = planted.span(step + 1, root, "train", on, at, at + 1_050);
        planted.span(step + 1, call, "allReduce", on, at + (worker == 3 ? 1_000 : 500), at + 1_050);
      }
    }
    RunAnalysis run = planted.analysis();
    assertThat(slow(run)).hasSize(1);
    assertThat(instances(run, slow(run).get(0))).containsExactly("w3");
    assertThat(name(run, slow(run).get(0).name())).isEqualTo("train");
    assertThat(slow(run).get(0).below().isItself()).isTrue();
    assertThat(slow(run).get(0).savesNanos()).isEqualTo(STEPS * 500);
  }

  @ParameterizedTest
  @CsvSource({"6, 0, 5", "6, 1, 4"})
  void twoSlowRanks_areNamedTogether(int workers, int one, int another) {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            STEPS,
            workers,
            (step, worker) -> new long[] {worker == one || worker == another ? 1000 : 500, 300});
    assertThat(slow(run)).hasSize(1);
    assertThat(instances(run, slow(run).get(0)))
        .containsExactlyInAnyOrder("w" + one, "w" + another);
    assertThat(slow(run).get(0).savesNanos())
        .isEqualTo(run.steps().wallNanos() - fastNanos(workers));
  }

  @Test
  void slowHost_isNamed() {
    RunAnalysis run =
        run(Way.PAYLOAD, STEPS, 6, (step, worker) -> new long[] {worker < 2 ? 1000 : 500, 300});
    assertThat(slow(run)).hasSize(1);
    assertThat(slow(run).get(0).kind()).isEqualTo(Kind.SLOW_HOST);
    assertThat(slow(run).get(0).host()).isEqualTo("host0");
    assertThat(slow(run).get(0).savesNanos()).isEqualTo(run.steps().wallNanos() - fastNanos(6));
  }

  /** It needs less than the others for all of its work, and more for a part of it. */
  @ParameterizedTest
  @ValueSource(longs = {50, 70, 130, 180})
  void rankThatNobodyWaitsFor_isNotSlow(long backward) {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            STEPS,
            4,
            (step, worker) -> worker == 3 ? new long[] {600, backward} : new long[] {500, 300});
    assertThat(slow(run)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 16})
  void ranksThatVary_areRarelySlow(int workers) {
    int alarms = 0;
    int runs = 100;
    for (int seed = 0; seed < runs; seed++) {
      Random random = new Random(seed);
      RunAnalysis run =
          new CollectivesTest()
              .run(
                  Way.PAYLOAD,
                  30,
                  workers,
                  (step, worker) ->
                      new long[] {
                        (long) (-1000 * Math.log(random.nextDouble())) + 1,
                        (long) (500 * Math.exp(random.nextGaussian()))
                      });
      alarms += slow(run).isEmpty() ? 0 : 1;
    }
    assertThat((double) alarms / runs).isLessThanOrEqualTo(0.05);
  }
}
