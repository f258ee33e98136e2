package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.otlp.Span;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers that send calls one after the other, and drivers that only seem to. */
class SerialCallsTest extends SendsFixture {

  /** Before each of them but the first, the driver needs 10. */
  private void serial(Way way, int steps, int workers, long nanos) {
    steps(
        steps,
        workers * (nanos + 10) + 50,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < workers; worker++) {
            long from = at + (nanos + 10) * worker + 10;
            call(way, trace, rollout, "sync", "w" + worker, from, from + nanos);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void callsOneAfterTheOther_wouldRunAtOnce(Way way) {
    serial(way, 20, 4, 300);
    Finding serial = findings(Kind.SERIAL_CALLS).get(0);
    RunAnalysis run = planted.analysis();
    assertThat(run.findings().get(0)).isEqualTo(serial);
    assertThat(serial.ratio()).isEqualTo(1);
    assertThat(serial.times()).isEqualTo(20);
    assertThat(serial.processes()).hasSize(4);
    // The driver's own time between the calls stays.
    assertThat(serial.savesNanos()).isCloseTo(20 * 900L, within(20 * 45L));
    assertThat(findings(Kind.LATE_SENDS)).isEmpty();
    assertThat(run.fanOuts()).isEmpty();
  }

  /** A server's span may end only after its reply was sent, or a worker's clock is ahead. */
  @ParameterizedTest
  @EnumSource
  void serialCallsWhoseEndsAreRecordedLate_areStillSerial(Way way) {
    steps(
        20,
        1400,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 310 * worker + 10;
            call(way, trace, rollout, "sync", "w" + worker, from, from + 315);
          }
        });
    assertThat(findings(Kind.LATE_SENDS)).isEmpty();
    Finding serial = findings(Kind.SERIAL_CALLS).get(0);
    assertThat(serial.ratio()).isEqualTo(1);
    assertThat(serial.times()).isEqualTo(20);
    assertThat(serial.savesNanos()).isCloseTo(20 * 900L, within(20 * 60L));
    // So the last one is no straggler that others wait for.
    assertThat(planted.analysis().fanOuts()).isEmpty();
  }

  /** Calls that really overlap are one fan-out, whoever sends them. */
  @ParameterizedTest
  @CsvSource({"33, 0", "34, 20"})
  void callsThatOverlapByMoreThanATenth_areAFanOut(long overlap, long fanOuts) {
    steps(
        20,
        1400,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 305 * worker + 10;
            call(Way.PAYLOAD, trace, rollout, "sync", "w" + worker, from, from + 300 + overlap);
          }
        });
    List<FanOuts.Totals> found = planted.analysis().fanOuts();
    assertThat(found.stream().mapToLong(FanOuts.Totals::fanOuts).sum()).isEqualTo(fanOuts);
  }

  /** A pool goes on as soon as one of its threads is free: no second round begins then. */
  @Test
  void callsOfAPool_areOneFanOut() {
    steps(
        20,
        1400,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 310 * (worker / 2) + 10;
            call(Way.PAYLOAD, trace, rollout, "sync", "w" + worker, from, from + 300 + 10 * worker);
          }
        });
    assertThat(planted.analysis().fanOuts().get(0).fanOuts()).isEqualTo(20);
  }

  /** The sender's clock tells when a call ended, whatever the worker's says. */
  @Test
  void serialCallsWithClientSpans_areSerialByTheSendersClock() {
    steps(
        20,
        300,
        (trace, rollout, at) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 50 * worker;
            long sender =
                planted.span(
                    trace, rollout, "POST", "driver", from, from + 45, "kind", Span.CLIENT);
            planted.span(
                trace, sender, "sync", "w" + worker, from + 10, from + 48, "kind", Span.SERVER);
          }
        });
    assertThat(findings(Kind.LATE_SENDS)).isEmpty();
    assertThat(findings(Kind.SERIAL_CALLS)).hasSize(1);
  }

  /** Each name is judged by the spans of its own time; processor time, as others may be busy. */
  @Tag("campaign")
  @Test
  void callsOfVeryManyNames_takeNoQuadraticTime() {
    int names = 80_000;
    steps(
        1,
        100L * names,
        (trace, rollout, at) -> {
          for (int name = 0; name < names; name++) {
            for (int worker = 0; worker < 2; worker++) {
              long from = at + 100 * name + 45 * worker + 10;
              call(Way.PAYLOAD, trace, rollout, "n" + name, "w" + worker, from, from + 40);
            }
          }
        });
    ThreadMXBean thread = ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadCpuTime();
    assertThat(planted.analysis().totals().sends()).hasSize(names);
    assertThat(thread.getCurrentThreadCpuTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(30));
  }

  @ParameterizedTest
  @CsvSource({"2, 4", "3, 9", "2, 5", "8, 32"})
  void poolOfThreads_limitsHowManyRunAtOnce(int threads, int workers) {
    long waves = (workers + threads - 1) / threads;
    steps(
        20,
        waves * 330 + 50,
        (trace, rollout, at) -> {
          long[] free = new long[threads];
          for (int worker = 0; worker < workers; worker++) {
            int first = 0;
            for (int thread = 1; thread < threads; thread++) {
              first = free[thread] < free[first] ? thread : first;
            }
            long from = free[first] + 6;
            free[first] = from + 300 + random.nextInt(20);
            call(Way.PAYLOAD, trace, rollout, "play", "w" + worker, at + from, at + free[first]);
          }
        });
    Finding limited = findings(Kind.SERIAL_CALLS).get(0);
    assertThat(limited.ratio()).isEqualTo(threads);
    assertThat(limited.times()).isEqualTo(20);
    assertThat(limited.savesNanos()).isBetween(20 * (waves - 1) * 280, 20 * (waves - 1) * 330);
    assertThat(findings(Kind.LATE_SENDS)).isEmpty();
  }

  /** Each needs what the environment answered, and any worker may get it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void turnsOfAnAgent_areNotSerialCalls(boolean areEnvironmentsTraced) {
    steps(
        20,
        2000,
        (trace, rollout, at) -> {
          for (int turn = 0; turn < 4; turn++) {
            long from = at + 400 * turn + 10;
            int worker = areEnvironmentsTraced ? turn : random.nextInt(4);
            call(Way.PAYLOAD, trace, rollout, "generate", "w" + worker, from, from + 300);
            if (areEnvironmentsTraced) {
              planted.span(trace, rollout, "env.step", "driver", from + 310, from + 380);
            }
          }
        });
    assertNone();
  }

  /** Several agents in each step, whose turns go to all workers in turn. */
  @Test
  void turnsOfManyAgents_areNotSerialCalls() {
    steps(
        20,
        2000,
        (trace, rollout, at) -> {
          for (int agent = 0; agent < 3; agent++) {
            long episode = planted.span(trace, rollout, "episode", "driver", at + agent, at + 1900);
            for (int turn = 0; turn < 4; turn++) {
              long from = at + 400 * turn + 10 + agent;
              call(Way.CLIENT, trace, episode, "generate", "w" + turn, from, from + 300);
            }
          }
        });
    assertNone();
  }

  /** Where the first one failed, the second one is no other share of the work. */
  @Test
  void retries_areNotSerialCalls() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int attempt = 0; attempt < 2; attempt++) {
            long from = at + 310 * attempt + 10;
            Object[] failure = {"roll.queue_ns", 5L, "failure", "gone"};
            planted.span(
                trace,
                rollout,
                "play",
                "w" + attempt,
                from,
                from + 300,
                attempt == 0 ? failure : new Object[] {"roll.queue_ns", 5L});
          }
        });
    assertNone();
  }

  /** A worker may have the next call only after its own one. */
  @Test
  void callsToOneWorker_areNotSerialCalls() {
    steps(
        20,
        1000,
        (trace, rollout, at) -> {
          for (int call = 0; call < 3; call++) {
            long from = at + 310 * call + 10;
            call(Way.PAYLOAD, trace, rollout, "play", "w1", from, from + 300);
          }
        });
    assertNone();
  }

  @ParameterizedTest
  @CsvSource({"-1, 20", "30, 20", "31, 0"})
  void serialCalls_needClocksThatAreCertainToATenthOfACall(long uncertaintyNanos, long found) {
    serial(Way.PAYLOAD, 20, 4, 300);
    RunAnalysis run = planted.analysis();
    Clocks.Shift shift = new Clocks.Shift("node", "driver", 5, uncertaintyNanos, false);
    Clocks clocks =
        uncertaintyNanos < 0
            ? Clocks.UNKNOWN
            : new Clocks(List.of(), Map.of("node", shift), Set.of());
    FanOuts fanOuts = new FanOuts(run.spans());
    fanOuts.find(run.traces(), clocks);
    assertThat(fanOuts.sends().totals().get(0).serial()).isEqualTo(found);
    FanOuts doubtful = new FanOuts(run.spans());
    doubtful.find(run.traces(), new Clocks(List.of(), Map.of(), Set.of("node")));
    assertThat(doubtful.sends().totals().get(0).serial()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"2, 0", "3, 1"})
  void serialCalls_needThreeCases(int steps, int found) {
    serial(Way.PAYLOAD, steps, 4, 300);
    assertThat(findings(Kind.SERIAL_CALLS)).hasSize(found);
  }

  /** Replicas of a service may get its calls in turn, each of which needs the one before. */
  @Test
  void serialCallsOfRequests_areNotFound() {
    for (int trace = 1; trace <= 20; trace++) {
      long at = 10_000L * trace;
      long root = planted.span(trace, 0, "GET /", "gateway", at, at + 1000);
      for (int call = 0; call < 2; call++) {
        long from = at + 400 * call + 10;
        call(Way.CLIENT, trace, root, "score", "w" + call, from, from + 300);
      }
    }
    assertNone();
  }
}
