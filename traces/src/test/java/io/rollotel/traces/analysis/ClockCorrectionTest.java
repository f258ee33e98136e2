package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts whose clocks differ, and the results for such a run. */
class ClockCorrectionTest {

  private static final long MS = 1_000_000;
  private static final int STEPS = 10;

  private final Planted planted = new Planted().inUnitsOf(MS);

  /**
   * Steps of a second: from 100 to 900 a driver's phase waits for two workers, of which the second,
   * on a host whose clock is ahead, needs 250 longer than the first. Calls take 2 to get there and
   * 3 to come back.
   */
  private void training(long aheadMillis) {
    training(step -> aheadMillis);
  }

  private void training(IntToLongFunction aheadMillisOf) {
    for (int step = 0; step < STEPS; step++) {
      long aheadMillis = aheadMillisOf.applyAsLong(step);
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver@head", at, at + 1000);
      long phase = planted.span(step + 1, root, "rollout", "driver@head", at + 100, at + 900);
      work(step + 1, phase, "w1@head", at + 102, at + 647, 2);
      long there = at + aheadMillis;
      work(step + 1, phase, "w2@gpu", there + 102, there + 897, 2 + aheadMillis);
    }
  }

  private void work(long trace, long phase, String process, long from, long to, long queueMillis) {
    planted.span(trace, phase, "generate", process, from, to, "roll.queue_ns", queueMillis * MS);
  }

  @Test
  void asynchronousSaveOnAnotherHost_isNoClock() {
    for (int step = 0; step < STEPS; step++) {
      long at = step * 1500L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver@head", at, at + 1000);
      long phase = planted.span(step + 1, root, "train", "driver@head", at + 100, at + 990);
      long end = at + 1200 + step;
      planted.span(step + 1, phase, "save", "saver@disk", at + 700, end);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().corrected()).isEmpty();
    assertThat(run.overlappedWork()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {3000, -3000, 20, -20, 0, 40_000})
  void hostWithAnotherClock_isTheStragglerThatItIs(long aheadMillis) {
    training(aheadMillis);
    RunAnalysis run = planted.analysis();
    FanOuts.Totals fanOut = run.fanOuts().get(0);
    assertThat(run.fanOuts()).hasSize(1);
    assertThat(fanOut.fanOuts()).isEqualTo(STEPS);
    assertThat(fanOut.isAlwaysTheSame()).isTrue();
    assertThat(fanOut.stragglers().get(0).process()).isEqualTo(Planted.process(run, "w2"));
    long offMillis = 3; // half of the way there and back
    assertThat(fanOut.costNanos()).isCloseTo(STEPS * 250 * MS, within(STEPS * offMillis * MS));
    assertThat(run.overlappedWork()).isEmpty();
    assertThat(run.path().nanosOfProcess(Planted.process(run, "w2")))
        .isCloseTo(STEPS * 795 * MS, within(STEPS * offMillis * MS));
    assertThat(run.workers().all().get(2).bubbleShare()).isCloseTo(0.205, within(0.01));
    Queues.Totals queue = run.queues().get(0);
    assertThat(queue.negative()).isZero();
    assertThat(queue.count()).isEqualTo(2 * STEPS);
    assertThat(queue.waitNanos()).isCloseTo(STEPS * 4 * MS, within(STEPS * offMillis * MS));
    assertThat(run.wallNanos()).isEqualTo(STEPS * 1000 * MS);
    assertThat(run.clocks().doubtful()).isEmpty();
    if (aheadMillis == 0) {
      assertThat(run.clocks().corrected()).isEmpty();
    } else {
      Clocks.Shift shift = run.clocks().corrected().get(0);
      assertThat(run.clocks().corrected()).hasSize(1);
      assertThat(shift.host()).isEqualTo("gpu");
      assertThat(shift.reference()).isEqualTo("head");
      assertThat(shift.nanos()).isCloseTo(aheadMillis * MS, within(shift.uncertaintyNanos() + 1));
      assertThat(shift.uncertaintyNanos()).isLessThanOrEqualTo(offMillis * MS);
    }
  }

  /** A twentieth of the usual call is 39. */
  @ParameterizedTest
  @CsvSource({"8, true", "22, true", "23, false", "400, false"})
  void clockThatWanders_isInDoubtIfItDoesSoByMuch(long byMillis, boolean isEqual) {
    training(step -> step % 2 == 0 ? byMillis : -byMillis);
    Clocks clocks = planted.analysis().clocks();
    assertThat(clocks.corrected()).isEmpty();
    assertThat(clocks.disagreeing()).hasSize(isEqual ? 0 : 1);
    assertThat(clocks.doubtful()).hasSize(isEqual ? 0 : 1);
  }

  @Test
  void withoutCorrection_timesStayAndTheHostIsInDoubt() {
    training(3000);
    RunAnalysis run = planted.analysisAsRecorded();
    assertThat(run.fanOuts()).isEmpty();
    assertThat(run.clocks().corrected()).isEmpty();
    assertThat(run.clocks().doubtful()).containsExactly("gpu");
    assertThat(run.queues().get(0).waitNanos()).isEqualTo(STEPS * (3002 + 2) * MS);
  }

  @Test
  void bounds_areThoseOfTheRecordedTimes() {
    training(3000);
    assertThat(planted.analysis().clocks().pairs())
        .isEqualTo(planted.analysisAsRecorded().clocks().pairs())
        .extracting(ClockSkew.Hosts::lowNanos, ClockSkew.Hosts::highNanos)
        .containsExactly(tuple(-3002 * MS, -2997 * MS));
  }

  @Test
  void chainOfHosts_isCorrectedFromOneToTheNext() {
    for (int i = 0; i < 5; i++) {
      long at = 1000L * i;
      long step = planted.span(1, 0, "pipeline_step", "driver@z", at, at + 1000);
      long shard = planted.span(1, step, "shard", "leader@b", at + 7010, at + 7990);
      long decode = planted.span(1, shard, "decode", "w1@a", at + 2020, at + 2980);
      planted.span(1, decode, "store", "w2@c", at + 2030, at + 2970, "roll.queue_ns", 5 * MS);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().corrected())
        .extracting(Clocks.Shift::host)
        .containsExactly("a", "b", "c");
    assertThat(run.clocks().shiftNanos("a")).isEqualTo(2000 * MS);
    assertThat(run.clocks().shiftNanos("b")).isEqualTo(7000 * MS);
    assertThat(run.clocks().shiftNanos("c")).isEqualTo(2000 * MS); // equal to a's
    Map<String, Long> path = new TreeMap<>();
    run.path().names().forEach(of -> path.put(run.spans().names().text(of.number()), of.nanos()));
    assertThat(path)
        .isEqualTo(
            Map.of(
                "pipeline_step",
                100 * MS,
                "shard",
                100 * MS,
                "decode",
                75 * MS,
                "store",
                4700 * MS));
    assertThat(run.queues().get(0).waitNanos()).as("of equal clocks").isEqualTo(25 * MS);
  }

  @Test
  void narrowBounds_goBeforeWideOnes() {
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 10_000);
    // c is seen from a with room for equal clocks, from b to the millisecond.
    planted.span(1, step, "loose", "w1@c", 4000, 8000);
    long call = planted.span(1, step, "call", "w2@b", 1001, 10_999);
    planted.span(1, call, "work", "w1@c", 3000, 12_998);
    planted.span(1, step, "call", "w2@b", 1000, 11_000);
    Clocks clocks = planted.analysis().clocks();
    assertThat(clocks.shiftNanos("b")).isEqualTo(1000 * MS);
    assertThat(clocks.shiftNanos("c")).isEqualTo(2999 * MS);
    assertThat(clocks.doubtful()).isEmpty();
  }

  @Test
  void ring_ofHostsAgrees() {
    String[] hosts = {"a", "b", "c"};
    long[] ahead = {0, 3000, -500};
    planted.span(9, 0, "pipeline_step", "driver@a", 0, 1000);
    for (int i = 0; i < 3; i++) {
      int next = (i + 1) % 3;
      long call = planted.span(1, 0, "call", "w" + i + "@" + hosts[i], ahead[i], ahead[i] + 1000);
      planted.span(
          1, call, "work", "w" + next + "@" + hosts[next], ahead[next] + 1, ahead[next] + 999);
    }
    Clocks clocks = planted.analysis().clocks();
    assertThat(clocks.shiftNanos("b")).isEqualTo(3000 * MS);
    assertThat(clocks.shiftNanos("c")).isEqualTo(-500 * MS);
    assertThat(clocks.doubtful()).isEmpty();
  }

  @Test
  void hostsThatNeverTalkToTheDriver_areCorrectedAmongThemselves() {
    planted.span(9, 0, "pipeline_step", "driver@a", 0, 1000);
    planted.span(8, 0, "pipeline_step", "driver@a", 0, 1000);
    long call = planted.span(1, 0, "call", "w0@x", 0, 1000);
    planted.span(1, call, "work", "w1@y", 5001, 5999);
    Clocks clocks = planted.analysis().clocks();
    assertThat(clocks.corrected())
        .containsExactly(new Clocks.Shift("y", "x", 5000 * MS, 1 * MS, false));
  }

  @Test
  void sentOneWay_nothingBeginsBeforeItWasSent() {
    for (int i = 0; i < 3; i++) {
      long at = 100L * i;
      long send = planted.span(1, 0, "send", "driver@a", at, at + 1, "kind", Span.PRODUCER);
      planted.span(1, send, "work", "w1@b", at - 3000 + i, at - 2900 + i, "kind", Span.CONSUMER);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().corrected())
        .containsExactly(new Clocks.Shift("b", "a", -3000 * MS, 0, true));
    Spans spans = run.spans();
    for (int span : run.members()) {
      int parent = run.tree().parent(span);
      assertThat(parent < 0 ? 0 : spans.start(span) - spans.start(parent)).isNotNegative();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3000, -3000})
  void methodInAReceivedRequest_waitedByTheSendersClock(long aheadMillis) {
    long sent = planted.span(1, 0, "POST", "driver@a", 0, 100, "kind", Span.CLIENT);
    long from = aheadMillis;
    long received =
        planted.span(1, sent, "POST /", "w1@b", from + 10, from + 90, "kind", Span.SERVER);
    long queueNanos = (aheadMillis + 11) * MS;
    planted.span(1, received, "work", "w1@b", from + 11, from + 80, "roll.queue_ns", queueNanos);
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().shiftNanos("b")).isEqualTo(aheadMillis * MS);
    assertThat(run.queues().get(0).waitNanos()).isEqualTo(11 * MS);
  }

  @Test
  void methodInAReceivedCall_waitedByTheSendersClock() {
    for (int i = 0; i < 3; i++) {
      long at = 100L * i;
      long send = planted.span(1, 0, "send", "driver@a", at, at + 1, "kind", Span.PRODUCER);
      long received =
          planted.span(1, send, "receive", "w1@b", at - 2990, at - 2900, "kind", Span.CONSUMER);
      planted.span(1, received, "work", "w1@b", at - 2989, at - 2900, "roll.queue_ns", -2989 * MS);
      planted.span(1, received, "within", "w1@b", at - 2980, at - 2900, "roll.queue_ns", 7 * MS);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().shiftNanos("b")).isEqualTo(-2990 * MS);
    assertThat(run.queues())
        .extracting(Queues.Totals::waitNanos, Queues.Totals::negative)
        .as("the second's clock is its receiver's")
        .containsExactly(tuple(3 * 7 * MS, 0L), tuple(3 * 1 * MS, 0L));
  }

  @ParameterizedTest
  @CsvSource({
    // start and end of each child on the other host; the parents' are 0 and 1000, 2000 and 3000, …
    "a clock set by 3 s,        1 999 | 5001 5999,                         b",
    "one call of both,          1 999 | 2001 2999 | 7001 7999,             b",
    "a clock that drifts,       3001 3999 | 5031 6029,                     ''",
    "a long way from equal,     100 900 | 2100 2900,                       ''",
    "saved without waiting,     900 1400,                                  b",
    "ahead by 2.5 s,            2501 3499 | 4501 5499,                     ''"
  })
  void hosts_areInDoubtWhereNoShiftFits(String situation, String children, String doubtful) {
    long at = 0;
    for (String child : children.split("\\|")) {
      String[] times = child.trim().split(" ");
      long call = planted.span(1, 0, "call", "driver@a", at, at + 1000);
      long start = Long.parseLong(times[0]);
      planted.span(1, call, "work", "w1@b", start, Long.parseLong(times[1]));
      at += 2000;
    }
    Clocks clocks = planted.analysis().clocks();
    assertThat(String.join(" ", clocks.doubtful())).as(situation).isEqualTo(doubtful);
    if (!doubtful.isEmpty()) {
      assertThat(clocks.corrected()).as(situation).isEmpty();
    }
  }

  @Test
  void workThatNobodyWaitedFor_isNotTakenForAClock() {
    training(3000);
    long root = planted.span(1, 0, "pipeline_step", "driver@head", 10_000, 11_000);
    planted.span(1, root, "save", "w2@gpu", 13_900, 14_400);
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().shiftNanos("gpu")).isCloseTo(3000 * MS, within(3 * MS));
    assertThat(run.overlappedWork()).hasSize(1);
    assertThat(run.clocks().doubtful()).isEmpty();
  }

  @Test
  void spanThatHasNotEnded_isSetBackWithItsHost() {
    training(3000);
    planted.span(77, 4711, "decode", "w1@head", 20_100, 20_200);
    RunAnalysis run =
        planted.analysisOf(
            planted.recording(
                "w2@gpu", true, 24_000, planted.open(77, 4711, 0, "shard", 20_000 + 3000)));
    Spans spans = run.spans();
    int shard = spans.size() - 1;
    assertThat(spans.nameOf(shard)).isEqualTo("shard");
    assertThat(spans.start(shard) - Planted.START).isCloseTo(20_000 * MS, within(3 * MS));
    assertThat(spans.end(shard) - Planted.START).isEqualTo(20_200 * MS);
  }

  /** A directory may have the runs of months, each on pods of its own. */
  @Test
  void runsOnHostsOfTheirOwn_takeRoomForEachHostOnce() throws IOException {
    assertThat(bytesOf(800)).isLessThan(3 * bytesOf(400));
  }

  private static int bytesOf(int runs) throws IOException {
    Spans columns = new Spans();
    for (int run = 0; run < runs; run++) {
      Planted planted = new Planted("run" + run).inUnitsOf(MS);
      long root = planted.span(run + 1, 0, "pipeline_step", "driver@head" + run, 0, 1000);
      planted.span(run + 1, root, "work", "w1@gpu" + run, 5000, 5900);
      planted.spans().forEach(columns::add);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(ClockCorrection.of(columns, true));
    return bytes.size();
  }
}
