package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Which workers get the calls of late or serial sends, how many at once, and what else they tell.
 */
class FanOutSendsTest extends SendsFixture {

  /** A worker that restarts is another process, but no further worker. */
  @ParameterizedTest
  @CsvSource({
    "w2, w02, 20, LATE_SENDS",
    "w2, w02, 20, SERIAL_CALLS",
    "w2, 2w, 39, SERIAL_CALLS",
  })
  void workerThatRestarts_isOneWorker(String before, String after, int from, Kind kind) {
    boolean isLate = kind == Kind.LATE_SENDS;
    steps(
        40,
        1500,
        (trace, rollout, at) -> {
          String[] workers = {"w0", "w1", trace <= from ? before : after, "w3"};
          for (int worker = 0; worker < 4; worker++) {
            long sent = at + (isLate ? 100 : 310) * worker + 10;
            planted.span(
                trace,
                rollout,
                "sync",
                workers[worker],
                sent,
                sent + (isLate ? 600 : 300),
                "roll.queue_ns",
                5L);
          }
        });
    Finding found = findings(kind).get(0);
    assertThat(found.times()).isEqualTo(40);
    assertThat(found.sends().workers()).isEqualTo(4);
    assertThat(found.sends().processes()).hasSize(5);
    assertThat(found.savesNanos()).isGreaterThan(40 * 250L);
  }

  /** Each span asks two of many workers, which are not all the workers that there are. */
  @ParameterizedTest
  @CsvSource({"3, 8", "10, 32", "40, 8"})
  void callsToChosenWorkers_areNotToAll(int steps, int workers) {
    steps(
        steps,
        1000,
        (trace, rollout, at) -> {
          int first = random.nextInt(workers);
          int second = (first + 1 + random.nextInt(workers - 1)) % workers;
          call(Way.CLIENT, trace, rollout, "play", "w" + first, at + 10, at + 300);
          call(Way.CLIENT, trace, rollout, "play", "w" + second, at + 320, at + 610);
        });
    assertNone();
  }

  /** A process that runs one call at a time cannot begin all of them with the first. */
  @ParameterizedTest
  @EnumSource
  void busyWorkers_beginACallWhenTheOneBeforeHasEnded(Way way) {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int call = 0; call < 4; call++) {
            long sent = at + 50 * call;
            long from = at + 50 * (call % 2) + 300 * (call / 2) + 5;
            long end = from + 300;
            String to = "w" + call % 2;
            switch (way) {
              case PAYLOAD ->
                  planted.span(trace, rollout, "play", to, from, end, "roll.queue_ns", from - sent);
              case PRODUCER -> {
                long sender =
                    planted.span(
                        trace, rollout, "send", "driver", sent - 1, sent, "kind", Span.PRODUCER);
                planted.span(trace, sender, "play", to, from, end, "kind", Span.CONSUMER);
              }
              case CLIENT -> {
                long sender =
                    planted.span(trace, rollout, "POST", "driver", sent, end, "kind", Span.CLIENT);
                planted.span(trace, sender, "play", to, from, end, "kind", Span.SERVER);
              }
            }
          }
        });
    assertThat(findings(Kind.LATE_SENDS).get(0).savesNanos()).isCloseTo(20 * 50L, within(20 * 10L));
  }

  /** In one step of twenty more calls ran at once than usual. */
  @Test
  void callsAtOnce_areThoseOfMostSteps() {
    steps(
        20,
        2600,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 8; worker++) {
            long from = at + 310 * (trace == 7 ? worker / 7 : worker) + 10;
            call(Way.PAYLOAD, trace, rollout, "sync", "w" + worker, from, from + 300);
          }
        });
    Finding serial = findings(Kind.SERIAL_CALLS).get(0);
    assertThat(serial.ratio()).isEqualTo(1);
    assertThat(serial.times()).isEqualTo(20);
  }

  /** A receiver's span whose only child has no times is itself the work. */
  @Test
  void workWithoutTimes_isNotCompared() {
    steps(
        20,
        1400,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 310 * worker + 10;
            long server =
                planted.span(
                    trace,
                    rollout,
                    "sync",
                    "w" + worker,
                    from,
                    from + 300,
                    "kind",
                    Span.SERVER,
                    "roll.queue_ns",
                    5L);
            planted.span(trace, server, "work", "w" + worker, -Planted.START, -Planted.START);
          }
        });
    RunAnalysis run = planted.analysis();
    assertThat(run.spans().names().text(findings(Kind.SERIAL_CALLS).get(0).name()))
        .isEqualTo("sync");
    assertThat(findings(Kind.SERIAL_CALLS).get(0).ratio()).isEqualTo(1);
  }

  /** Two services have calls of one name; each finding tells of its own. */
  @Test
  void callsOfOneNameToTwoServices_areTwoFindings() {
    steps(
        20,
        2600,
        (trace, rollout, at) -> {
          long actors = planted.span(trace, rollout, "actors", "driver", at, at + 940);
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 100 * worker + 10;
            call(Way.PAYLOAD, trace, actors, "train", "actor" + worker, from, from + 600);
          }
          long critics = planted.span(trace, rollout, "critics", "driver", at + 950, at + 2300);
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 960 + 310 * worker;
            call(Way.PAYLOAD, trace, critics, "train", "critic" + worker, from, from + 300);
          }
        });
    RunAnalysis run = planted.analysis();
    Finding late = findings(Kind.LATE_SENDS).get(0);
    Finding serial = findings(Kind.SERIAL_CALLS).get(0);
    assertThat(run.spans().names().text(late.sends().waiting())).isEqualTo("actors");
    assertThat(late.processes()).containsExactly(Planted.process(run, "actor3"));
    assertThat(run.spans().names().text(serial.sends().waiting())).isEqualTo("critics");
    assertThat(serial.processes()).hasSize(4);
  }

  /** The calls of one name are sent from spans of several names. */
  @Test
  void sendersWithSeveralNames_areNotNamed() {
    steps(
        20,
        1400,
        (trace, rollout, at) -> {
          long phase = planted.span(trace, rollout, "phase" + trace % 3, "driver", at, at + 1350);
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 310 * worker + 10;
            call(Way.PAYLOAD, trace, phase, "sync", "w" + worker, from, from + 300);
          }
        });
    assertThat(findings(Kind.SERIAL_CALLS).get(0).sends().waiting()).isNegative();
  }
}
