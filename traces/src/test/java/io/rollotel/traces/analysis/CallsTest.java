package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rollotel.traces.analysis.FanOuts.FanOut;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One training, its calls sent in several ways: the answers do not depend on the way.
 *
 * <p>Steps of 1000: the driver's phase {@code rollout} from 100 to 800 waits for {@code generate}
 * on four workers, dispatched by 120 at the latest and executed from 150, by worker 3 until 790, by
 * the others until 400 and a bit. The phase {@code train} from 800 to 1000 is worker 0's from 850
 * to 990.
 */
class CallsTest {

  private static final int STEPS = 5;

  private enum Way {
    /** The worker's span is the child of the driver's phase, and says how long it waited. */
    PAYLOAD,
    /** Ray's: the sender's span ends at once. */
    PRODUCER,
    /** The same, and no method is traced in the worker. */
    PRODUCER_ALONE,
    /** An HTTP client's, which waits. */
    CLIENT,
    /** Worker 3 fails at first; the attempts are spans of the driver. */
    RETRIED,
    /** A span of the driver for each rank, in it a client's. */
    BY_RANK
  }

  private final Planted planted = new Planted();

  private RunAnalysis training(Way way) {
    for (int step = 0; step < STEPS; step++) {
      long at = step * 1010L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 1000);
      long rollout = planted.span(step + 1, root, "rollout", "driver", at + 100, at + 800);
      for (int worker = 0; worker < 4; worker++) {
        long end = worker == 3 ? 790 : 400 + worker;
        call(way, step + 1, rollout, "generate", worker, at + 110, at + 150, at + end);
      }
      long train = planted.span(step + 1, root, "train", "driver", at + 800, at + 1000);
      call(way, step + 1, train, "fit", 0, at + 805, at + 850, at + 990);
    }
    return planted.analysis();
  }

  private void call(
      Way way, long trace, long parent, String name, int worker, long sent, long from, long to) {
    String process = "w" + worker;
    switch (way) {
      case PAYLOAD ->
          planted.span(trace, parent, name, process, from, to, "roll.queue_ns", from - sent - 10);
      case PRODUCER, PRODUCER_ALONE -> {
        long sender =
            planted.span(
                trace, parent, name + " send", "driver", sent, sent + 10, "kind", Span.PRODUCER);
        boolean isAlone = way == Way.PRODUCER_ALONE;
        String receives = isAlone ? name : name + " receive";
        long receiver =
            planted.span(trace, sender, receives, process, from, to, "kind", Span.CONSUMER);
        if (!isAlone) {
          planted.span(trace, receiver, name, process, from, to, "roll.queue_ns", from - sent);
        }
      }
      case CLIENT -> client(trace, parent, name, process, sent, from, to);
      case RETRIED -> {
        if (worker == 3) {
          long first = planted.span(trace, parent, "attempt", "driver", sent, sent + 20);
          client(trace, first, name, process, sent + 1, sent + 2, sent + 15);
        }
        long last = planted.span(trace, parent, "attempt", "driver", sent + 20, to + 5);
        client(trace, last, name, process, sent + 21, from, to);
      }
      case BY_RANK -> {
        long rank =
            planted.span(trace, parent, "rank " + worker, "driver", sent, to + 6, "rank", worker);
        client(trace, rank, name, process, sent, from, to);
      }
    }
  }

  private void client(
      long trace, long parent, String name, String process, long sent, long from, long to) {
    long sender = planted.span(trace, parent, "POST", "driver", sent, to + 4, "kind", Span.CLIENT);
    long receiver =
        planted.span(trace, sender, "POST /" + name, process, from, to, "kind", Span.SERVER);
    planted.span(trace, receiver, name, process, from, to);
  }

  @ParameterizedTest
  @EnumSource
  void straggler_isTheSameHoweverItWasCalled(Way way) {
    RunAnalysis run = training(way);
    List<FanOuts.Totals> all = run.fanOuts();
    assertThat(all).hasSize(1);
    FanOuts.Totals generate = all.get(0);
    assertThat(run.spans().names().text(generate.name())).isEqualTo("generate");
    assertThat(generate.fanOuts()).isEqualTo(STEPS);
    assertThat(generate.isAlwaysTheSame()).isTrue();
    assertThat(run.spans().processes().get(generate.stragglers().get(0).process()).rank())
        .isEqualTo("3");
    assertThat(generate.costNanos()).isEqualTo(STEPS * (790L - 402));
    FanOut worst = generate.worst();
    assertThat(run.spans().nameOf(worst.parent())).isEqualTo("rollout");
    assertThat(worst.processes()).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void criticalPath_goesThroughTheWorkersHoweverTheyWereCalled(Way way) {
    RunAnalysis run = training(way);
    Map<String, Long> names = names(run);
    long failed = way == Way.RETRIED ? 13 : 0; // the first attempt's, without which none had ended
    assertThat(names.get("generate")).isEqualTo(STEPS * (790L - 150 + failed));
    assertThat(names.get("fit")).isEqualTo(STEPS * (990L - 850));
    long queued = run.path().queues().stream().mapToLong(PathShares.QueueShare::nanos).sum();
    boolean isSaid = way == Way.PAYLOAD || way == Way.PRODUCER || way == Way.PRODUCER_ALONE;
    assertThat(queued).isEqualTo(isSaid ? STEPS * (30L + 35) : 0);
    assertThat(names.values().stream().mapToLong(nanos -> nanos).sum() + queued)
        .isEqualTo(run.path().totalNanos())
        .isEqualTo(STEPS * 1000L);
  }

  private static Map<String, Long> names(RunAnalysis run) {
    Map<String, Long> names = new TreeMap<>();
    run.path()
        .names()
        .forEach(share -> names.put(run.spans().names().text(share.number()), share.nanos()));
    return names;
  }

  @Test
  void workThatOutlivesItsStep_isNotOnItsPath() {
    for (int step = 0; step < 3; step++) {
      long at = step * 100L;
      long root = planted.span(1, 0, "pipeline_step", "driver", at, at + 100);
      planted.span(1, root, "train", "w0", at + 10, at + 90);
      planted.span(1, root, "save", "w1", at + 20, at + 500);
    }
    RunAnalysis run = planted.analysis();
    assertThat(names(run)).isEqualTo(Map.of("train", 240L, "pipeline_step", 60L));
    assertThat(run.steps().phases()).hasSize(1);
    WorkOfName save = run.overlappedWork().get(0);
    assertThat(run.overlappedWork()).hasSize(1);
    assertThat(run.spans().names().text(save.name())).isEqualTo("save");
    assertThat(save.count()).isEqualTo(3);
    assertThat(save.totalNanos()).isEqualTo(3 * 480);
    assertThat(run.fanOuts()).isEmpty(); // two of them had nobody waiting
  }

  @Test
  void execOfAMethod_isTheMethodsPartOfThePath() {
    long root = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    long generate = planted.span(1, root, "worker.generate", "w1", 10, 90);
    planted.span(1, generate, "prefetch", "w1", 10, 20);
    planted.span(1, generate, "exec", "w1", 20, 85);
    assertThat(names(planted.analysis()))
        .isEqualTo(Map.of("worker.generate", 70L, "prefetch", 10L, "pipeline_step", 20L));
  }

  @Test
  void callThatIsWaitedForInALaterPhase_isOnThePathOfTheStep() {
    long root = planted.span(1, 0, "pipeline_step", "driver", 0, 1000);
    long submit = planted.span(1, root, "submit", "driver", 10, 60);
    long sender = planted.span(1, submit, "score send", "driver", 30, 40, "kind", Span.PRODUCER);
    planted.span(1, sender, "score", "w1", 100, 900, "kind", Span.CONSUMER);
    planted.span(1, root, "train", "w0", 60, 500);
    RunAnalysis run = planted.analysis();
    // Back from the end: the step; score; its wait; its dispatch; submit before it; the step.
    assertThat(names(run))
        .isEqualTo(
            Map.of("pipeline_step", 100L + 10, "score", 800L, "score send", 10L, "submit", 20L));
    assertThat(run.path().queues())
        .containsExactly(
            new PathShares.QueueShare(
                run.spans().names().find("score"), Planted.process(run, "w1"), 60));
  }

  @Test
  void requestThatWaitsForItsCall_hasNotWorkedMeanwhile() {
    long root = planted.span(1, 0, "request", "api", 0, 100);
    long sender = planted.span(1, root, "score send", "api", 10, 12, "kind", Span.PRODUCER);
    planted.span(1, sender, "score", "scorer", 20, 90, "kind", Span.CONSUMER);
    assertThat(planted.analysis().roots().get(0).services())
        .extracting(RootTotals.Service::name, RootTotals.Service::selfNanos)
        .containsExactly(tuple("scorer", 70L), tuple("api", 30L));
  }

  @Test
  void fanOutInAFanOut_hasItsOwnStragglers() {
    long root = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    for (int group = 0; group < 2; group++) {
      String leader = "lead" + group;
      long shard = planted.span(1, root, "shard", leader, 5, 60 + 30 * group);
      planted.span(1, shard, "decode", "a" + group, 10, 40);
      planted.span(1, shard, "decode", "b" + group, 10, 50 + 30 * group);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.fanOuts())
        .extracting(
            totals -> run.spans().names().text(totals.name()),
            FanOuts.Totals::fanOuts,
            FanOuts.Totals::costNanos)
        .containsExactly(tuple("decode", 2L, 10L + 40), tuple("shard", 1L, 30L));
  }
}
