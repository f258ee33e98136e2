package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers that send calls late, and drivers that only seem to. */
class LateSendsTest extends SendsFixture {

  @ParameterizedTest
  @EnumSource
  void slowDriver_isTheCauseAndNotTheWorkerThatItSendsToLast(Way way) {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 10;
            call(way, trace, rollout, "play", "w" + worker, from, from + 600);
          }
        });
    Finding late = findings(Kind.LATE_SENDS).get(0);
    RunAnalysis run = planted.analysis();
    assertThat(run.findings().get(0)).isEqualTo(late);
    assertThat(late.times()).isEqualTo(20);
    assertThat(late.of()).isEqualTo(20);
    assertThat(late.processes()).containsExactly(Planted.process(run, "w3"));
    assertThat(late.savesNanos()).isEqualTo(20 * 300L);
    assertThat(late.evidence())
        .hasSize(5)
        .allMatch(span -> run.spans().processOf(span).instanceId().equals("w3"));
    assertThat(run.totals().sends().get(0).spreadNanos()).isEqualTo(300);
    assertThat(run.spans().names().text(run.totals().sends().get(0).waiting()))
        .isEqualTo("rollout");
    assertThat(straggler().lateNanos()).isEqualTo(300);
    assertThat(findings(Kind.SERIAL_CALLS)).isEmpty();
  }

  /** Whoever traces why the driver is slow must not lose the finding that it is. */
  @ParameterizedTest
  @CsvSource({"driver, 1, true", "driver, 3, false", "other, 1, false"})
  void workOfTheSenderBeforeEachSend_isNoOtherReason(String process, int kind, boolean isFound) {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 110;
            planted.span(trace, rollout, "serialize", process, from - 95, from - 5, "kind", kind);
            call(Way.PAYLOAD, trace, rollout, "play", "w" + worker, from, from + 500);
          }
        });
    assertThat(findings(Kind.LATE_SENDS)).hasSize(isFound ? 1 : 0);
  }

  /** A phase counts as ended a little before its end. */
  @ParameterizedTest
  @CsvSource({"5, 1", "50, 0"})
  void phaseThatEndsJustAfterTheFirstSend_isNoOtherReason(long after, int found) {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          planted.span(trace, rollout, "load", "other", at, at + 100 + after);
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 105;
            call(Way.PAYLOAD, trace, rollout, "play", "w" + worker, from, from + 500);
          }
        });
    assertThat(findings(Kind.LATE_SENDS)).hasSize(found);
  }

  /** Then calls end between the sends, but these do not follow the ends. */
  @ParameterizedTest
  @CsvSource({"64, 25, 70", "64, 25, 24", "8, 100, 250", "64, 25, 15"})
  void slowDriverOfShortCalls_isFound(int workers, long everyNanos, long nanos) {
    long lastNanos = everyNanos * (workers - 1);
    steps(
        10,
        lastNanos + nanos + 50,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < workers; worker++) {
            long from = at + everyNanos * worker + 10;
            call(
                Way.PAYLOAD,
                trace,
                rollout,
                "play",
                "w" + worker,
                from,
                from + nanos - random.nextInt(5));
          }
        });
    if (nanos > 15) {
      Finding late = findings(Kind.LATE_SENDS).get(0);
      assertThat(late.times()).isGreaterThanOrEqualTo(8);
      assertThat(late.savesNanos()).isCloseTo(late.times() * lastNanos, within(10 * 8L));
    } else {
      // One thread that sends and waits, as far as times tell: its own time stays.
      Finding serial = findings(Kind.SERIAL_CALLS).get(0);
      assertThat(serial.ratio()).isEqualTo(1);
      assertThat(serial.savesNanos()).isBetween(10 * 1_000L, 10 * lastNanos);
    }
  }

  @Test
  void manyCallsToEachWorker_areSentLateAsWell() {
    steps(
        10,
        1000,
        (trace, rollout, at) -> {
          for (int call = 0; call < 16; call++) {
            long from = at + 20 * call + 10;
            call(Way.PAYLOAD, trace, rollout, "play", "w" + call % 4, from, from + 500);
          }
        });
    assertThat(findings(Kind.LATE_SENDS).get(0).savesNanos()).isEqualTo(10 * 300L);
  }

  /** Some time passes between the sends, but the first call takes as long as all of it. */
  @Test
  void lateCallsThatEndWithTheFirst_costNothing() {
    steps(
        10,
        1000,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 10;
            call(Way.PAYLOAD, trace, rollout, "play", "w" + worker, from, at + 900 - worker);
          }
        });
    assertNone();
    assertThat(straggler().lateNanos()).isZero();
  }

  @Test
  void slowWorkerThatIsSentToLast_isStillSlow() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 5 * worker + 10;
            call(
                Way.PAYLOAD,
                trace,
                rollout,
                "play",
                "w" + worker,
                from,
                from + (worker == 3 ? 800 : 400));
          }
        });
    assertNone();
    assertThat(straggler().lateNanos()).isZero();
    assertThat(findings(Kind.SLOW_WORKER)).hasSize(1);
  }

  /** Each worker scores when it has played: the driver waits for that, and not for itself. */
  @ParameterizedTest
  @ValueSource(longs = {20, 600})
  void callsThatFollowOtherCalls_areNotLate(long scoreNanos) {
    steps(
        20,
        2500,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long played = at + 500 + 100 * worker;
            call(Way.PAYLOAD, trace, rollout, "play", "w" + worker, at + 10, played);
            call(
                Way.PAYLOAD,
                trace,
                rollout,
                "score",
                "w" + worker,
                played + 10,
                played + 10 + scoreNanos);
          }
        });
    assertNone();
  }

  @Test
  void callsWhoseSendTimeIsUnknown_areNotSaidToBeSent() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 10;
            planted.span(trace, rollout, "play", "w" + worker, from, from + 600);
          }
        });
    assertNone();
    assertThat(straggler().lateNanos()).isZero();
  }

  /** Some are asked again on another worker if they take long. */
  @Test
  void callsToASecondWorker_areNotLate() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int asked = 0; asked < 2; asked++) {
            long from = at + 200 * asked + 10;
            String worker = "w" + (trace + asked) % 4;
            call(Way.CLIENT, trace, rollout, "play", worker, from, at + 800 + 10 * asked);
          }
        });
    assertNone();
  }

  @Test
  void callsOfTwoServices_areNotOfOneFanOut() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          String[] workers = {"actor0", "actor1", "critic0", "critic1"};
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 400 * (worker / 2) + 10;
            call(Way.PAYLOAD, trace, rollout, "train", workers[worker], from, from + 390);
          }
        });
    assertNone();
  }

  /** Ends by a clock that cannot be compared do not tell whether its worker took longer. */
  @Test
  void stragglerOnAHostWithADoubtfulClock_isNotSaidToBeSentLast() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 10;
            call(Way.PAYLOAD, trace, rollout, "play", "w" + worker, from, from + 600);
          }
        });
    RunAnalysis run = planted.analysis();
    for (Set<String> doubtful : List.of(Set.<String>of(), Set.of("node"))) {
      FanOuts fanOuts = new FanOuts(run.spans());
      fanOuts.find(run.traces(), new Clocks(List.of(), Map.of(), doubtful));
      assertThat(fanOuts.totals().get(0).stragglers().get(0).lateNanos())
          .isEqualTo(doubtful.isEmpty() ? 300 : 0);
    }
  }
}
