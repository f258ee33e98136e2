package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers that send calls late, or one after the other, and drivers that only seem to. */
class FanOutSendsTest {

  private final Planted planted = new Planted();

  private final Random random = new Random(1);

  private enum Way {
    PAYLOAD,
    PRODUCER,
    CLIENT
  }

  /** A call sent 5 before it begins; its CLIENT span ends with it. */
  private long call(Way way, long trace, long parent, String name, String to, long from, long end) {
    return switch (way) {
      case PAYLOAD -> planted.span(trace, parent, name, to, from, end, "roll.queue_ns", 5L);
      case PRODUCER -> {
        long sender =
            planted.span(
                trace, parent, "send", "driver", from - 6, from - 5, "kind", Span.PRODUCER);
        yield planted.span(trace, sender, name, to, from, end, "kind", Span.CONSUMER);
      }
      case CLIENT -> {
        long sender =
            planted.span(trace, parent, "POST", "driver", from - 5, end, "kind", Span.CLIENT);
        yield planted.span(trace, sender, name, to, from, end, "kind", Span.SERVER);
      }
    };
  }

  /** Calls of a step, the n-th of them at some moment on some worker. */
  private interface Calls {
    void plant(long trace, long rollout, long at);
  }

  /** Steps of 10,000 with a rollout of so long, and 100 for a phase after it. */
  private void steps(int count, long rolloutNanos, Calls calls) {
    for (int step = 0; step < count; step++) {
      long at = 10_000L * step;
      long end = at + rolloutNanos + 200;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, end);
      long rollout =
          planted.span(step + 1, root, "rollout", "driver", at + 10, at + 10 + rolloutNanos);
      planted.span(step + 1, root, "update", "driver", end - 150, end - 50);
      calls.plant(step + 1, rollout, at + 20);
    }
  }

  private List<Finding> findings(Kind kind) {
    return planted.analysis().findings().stream().filter(one -> one.kind() == kind).toList();
  }

  private void assertNone() {
    assertThat(planted.analysis().findings())
        .noneMatch(one -> one.kind() == Kind.LATE_SENDS || one.kind() == Kind.SERIAL_CALLS);
  }

  private FanOuts.Straggler straggler() {
    return planted.analysis().fanOuts().get(0).stragglers().get(0);
  }

  // ---- late sends

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

  // ---- serial calls

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

  // ---- which workers, how many at once, and what else

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

  // ---- steps that overlap

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
