package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Late and serial sends of steps that overlap. */
class OverlappingSendsTest extends SendsFixture {

  /** What else happens while a step sends its calls, and what its calls wait for. */
  private enum Beside {
    /** The step before trains all the time. */
    TRAINING,
    /** The workers still run their calls of the step before. */
    BUSY_WORKERS,
    /** A thread is free whenever the step before has scored something. */
    ENDS_ELSEWHERE,
    /** The step before scores something, but before the second call is sent. */
    END_WITH_THE_FIRST
  }

  /** Steps of 1,800, each 1,000 after the one before; the calls are sent so far apart. */
  private void overlapping(Beside beside, Way way, long apart, long nanos) {
    for (int step = 0; step < 20; step++) {
      long at = 1000L * step;
      long trace = step + 1;
      long root = planted.span(trace, 0, "pipeline_step", "driver", at, at + 1800);
      long rollout = planted.span(trace, root, "rollout", "driver", at + 10, at + 1400);
      planted.span(trace, root, "train", "t0", at + 1410, at + 1790);
      for (int worker = 0; worker < 4; worker++) {
        long from = at + 20 + apart * worker;
        long end = beside == Beside.BUSY_WORKERS ? from + 999 : from + nanos;
        call(way, trace, rollout, "play", "w" + worker, from, end);
        if (beside == Beside.ENDS_ELSEWHERE) {
          planted.span(
              trace, root, "score", "r0", at + 960 + apart * worker, at + 1010 + apart * worker);
        }
      }
      if (beside == Beside.END_WITH_THE_FIRST) {
        planted.span(trace, root, "score", "r0", at + 960, at + 1018);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void lateSendsBesideAnotherStep_areFoundWithoutASaving(Way way) {
    overlapping(Beside.TRAINING, way, 100, 360);
    RunAnalysis run = planted.analysis();
    assertThat(run.steps().areOverlapping()).isTrue();
    Finding late = findings(Kind.LATE_SENDS).get(0);
    assertThat(late.savesNanos()).isEqualTo(Finding.UNKNOWN);
    assertThat(late.times()).isEqualTo(20);
    assertThat(late.processes()).containsExactly(Planted.process(run, "w3"));
    assertThat(late.evidence()).hasSize(5);
    assertThat(findings(Kind.SERIAL_CALLS)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void serialCallsBesideAnotherStep_areFoundWithoutASaving(Way way) {
    overlapping(Beside.TRAINING, way, 110, 100);
    Finding serial = findings(Kind.SERIAL_CALLS).get(0);
    assertThat(serial.savesNanos()).isEqualTo(Finding.UNKNOWN);
    assertThat(serial.ratio()).isEqualTo(1);
    assertThat(serial.processes()).hasSize(4);
    assertThat(findings(Kind.LATE_SENDS)).isEmpty();
  }

  /** Nobody knows what it costs, but the steps take far longer. */
  @ParameterizedTest
  @CsvSource({"5, 0", "7, 1"})
  void lateSendsBesideAnotherStepThatAreShort_areNotWorthALine(long apart, int found) {
    overlapping(Beside.TRAINING, Way.PAYLOAD, apart, 40);
    assertThat(planted.analysis().totals().sends().get(0).late()).isEqualTo(20);
    assertThat(findings(Kind.LATE_SENDS)).hasSize(found);
  }

  /** Each step alone looks as if its driver were slow. */
  @ParameterizedTest
  @CsvSource({"TRAINING, 1", "BUSY_WORKERS, 0", "ENDS_ELSEWHERE, 0", "END_WITH_THE_FIRST, 1"})
  void sendsThatMayFollowAnotherStep_areNotLate(Beside beside, int found) {
    overlapping(beside, Way.PAYLOAD, 100, 360);
    assertThat(planted.analysis().totals().sends().get(0).late()).isEqualTo(20);
    assertThat(findings(Kind.LATE_SENDS)).hasSize(found);
  }
}
