package io.rollotel.traces.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times are milliseconds. */
class ProcessActivityTest {

  private static final long MILLI = 1_000_000;
  private static final long THREAD = 7;

  private final Stacks stacks = new Stacks();
  private final ProcessActivity process = new ProcessActivity(stacks);

  private Breakdown between(long from, long to) {
    process.seal();
    Breakdown breakdown = new Breakdown(stacks);
    process.walk(
        process.known(THREAD), from * MILLI, to * MILLI, new SpanWalk(process, null, breakdown));
    assertThat(breakdown.totalNanos()).as("all of it").isCloseTo((to - from) * 1e6, within(1.0));
    return breakdown;
  }

  private static double millis(Breakdown breakdown, Activity activity) {
    return Math.round(breakdown.nanos(activity) / 1e4) / 100.0;
  }

  private void recorded(long from, long to) {
    process.recorded(from * MILLI, to * MILLI);
  }

  private void wait(Activity activity, String on, long from, long to) {
    process.wait(THREAD, activity, on, from * MILLI, to * MILLI);
  }

  /** In the second, or part of a second, that ends then. */
  private void ran(long millis, long until) {
    process.thread(THREAD).loads.add(until * MILLI, until * MILLI, (int) millis * 1_000, 0);
  }

  private void seen(String method, long at) {
    seen(at, stacks.frame(method, Stacks.NO_LINE));
  }

  /** In frames of which the first is the innermost. */
  private void seen(long at, int... frames) {
    int stack = stacks.stack(frames);
    process.thread(THREAD).samples.add(at * MILLI, at * MILLI, stack, 0);
  }

  @Test
  void wait_countsWhereItLiesAndWithWhatItWasOn() {
    recorded(0, 1_000);
    wait(Activity.SOCKET, "a.Client.ask (b:80)", 100, 300);
    wait(Activity.SLEEPING, "a.Client.nap", 400, 900);
    Breakdown breakdown = between(200, 500);
    assertThat(millis(breakdown, Activity.SOCKET)).isEqualTo(100);
    assertThat(millis(breakdown, Activity.SLEEPING)).isEqualTo(100);
    assertThat(breakdown.details(Activity.SOCKET))
        .containsExactly(new Breakdown.Detail("a.Client.ask (b:80)", 100e6));
  }

  @Test
  void waitInsideAnother_isNotCountedTwice() {
    recorded(0, 1_000);
    wait(Activity.FILE, "outer", 100, 300);
    wait(Activity.PARKED, "inner", 150, 250);
    wait(Activity.PARKED, "tail", 250, 350);
    Breakdown breakdown = between(0, 400);
    assertThat(millis(breakdown, Activity.FILE)).isEqualTo(200);
    assertThat(millis(breakdown, Activity.PARKED)).isEqualTo(50);
  }

  @Test
  void threadThatStartsWithinASecond_isMeasuredFromItsStartOn() {
    recorded(0, 2_000);
    process.thread(THREAD).startNanos = 600 * MILLI;
    wait(Activity.PARKED, "", 800, 900);
    ran(300, 1_000);
    ran(500, 2_000);
    Breakdown first = between(600, 1_000);
    assertThat(millis(first, Activity.RUNNING)).isEqualTo(300);
    assertThat(millis(first, Activity.NOT_SCHEDULED)).isZero();
  }

  @Test
  void pause_countsWhereTheThreadDidNotWait() {
    recorded(0, 1_000);
    wait(Activity.SLEEPING, "", 0, 50);
    process.pause(Activity.GC_PAUSE, "", 20 * MILLI, 120 * MILLI);
    Breakdown breakdown = between(0, 200);
    assertThat(millis(breakdown, Activity.SLEEPING)).isEqualTo(50);
    assertThat(millis(breakdown, Activity.GC_PAUSE)).isEqualTo(70);
  }

  @Test
  void pausesThatOverlap_areOneAndOthersAreNot() {
    process.pause(Activity.GC_PAUSE, "", 20, 120);
    process.pause(Activity.GC_PAUSE, "G1CollectFull", 100, 130);
    process.pause(Activity.GC_PAUSE, "within", 40, 60);
    process.pause(Activity.SAFEPOINT, "ThreadDump", 125, 140);
    process.pause(Activity.SAFEPOINT, "later", 150, 160);
    process.seal();
    assertThat(process.pauses(10))
        .containsExactly(
            new Pause(Activity.GC_PAUSE, "G1CollectFull", 10, 120),
            new Pause(Activity.SAFEPOINT, "ThreadDump", 120, 130),
            new Pause(Activity.SAFEPOINT, "later", 140, 150));
  }

  @Test
  void restOfTheTime_isDividedByProcessorTime() {
    recorded(0, 2_000);
    wait(Activity.SLEEPING, "", 0, 500);
    ran(200, 1_000); // of 500
    ran(900, 2_000); // of 1,000
    Breakdown breakdown = between(500, 1_500);
    assertThat(millis(breakdown, Activity.RUNNING)).isEqualTo(200 + 450);
    assertThat(millis(breakdown, Activity.NOT_SCHEDULED)).isEqualTo(300 + 50);
  }

  private void inNative(String method, long from, long to) {
    for (long at = from; at <= to; at += 20) {
      process.thread(THREAD).inNative.add(at * MILLI, at * MILLI, stacks.text(method), 0);
    }
  }

  /** A worker of Ray waits for its next task in native code, and no event tells. */
  @Test
  void waitInNativeCodeBetweenSpans_isNoTimeInWhichTheThreadCouldRun() {
    recorded(0, 1_000);
    inNative("ray.nativeRunTaskExecutor", 0, 700);
    ran(270, 1_000); // of 300
    Breakdown task = between(700, 1_000);
    assertThat(millis(task, Activity.RUNNING)).isEqualTo(270);
    assertThat(millis(task, Activity.NOT_SCHEDULED)).isEqualTo(30);
  }

  @Test
  void waitInNativeCodeWithinSpan_isWaitingThere() {
    recorded(0, 1_000);
    inNative("ray.nativeGet", 100, 500);
    inNative("ray.nativeWait", 505, 505);
    seen("a.B.c", 600);
    inNative("ray.nativeGet", 800, 800);
    ran(600, 1_000);
    Breakdown breakdown = between(0, 1_000);
    assertThat(breakdown.details(Activity.NATIVE))
        .extracting(detail -> detail.what() + " " + Math.round(detail.nanos() / 1e6))
        .as("not between two methods, nor where it was seen running between")
        .containsExactly("ray.nativeGet 400");
    assertThat(millis(breakdown, Activity.RUNNING)).isEqualTo(600);
  }

  @ParameterizedTest
  @CsvSource({
    // ran in that second; waited in native code; was not on a processor; each known to 20 ms
    "20, 960, 0", // a driver's call that waits for its device
    "0, 980, 0",
    "300, 0, 700", // it computes, and other processes take the processor
    "1000, 0, 0"
  })
  void unknownNativeCode_waitsIfItsThreadHardlyRuns(long ran, long waiting, long notScheduled) {
    recorded(0, 3_000);
    process.thread(THREAD).isPlatform = true;
    ran(1_000, 1_000);
    ran(ran, 2_000);
    process.thread(8).loads.add(2_000 * MILLI, 2_000 * MILLI, 1_000, 0); // a load of 0 has no event
    int stack = stacks.stack(new int[] {stacks.frame("gpu.Device.synchronize", Stacks.NO_LINE)});
    for (long at = 1_020; at <= 2_000; at += 20) {
      process.thread(THREAD).samples.add(at * MILLI, at * MILLI, stack, ThreadActivity.NATIVE);
    }
    Breakdown breakdown = between(1_000, 2_000);
    assertThat(millis(breakdown, Activity.NATIVE)).isCloseTo(waiting, within(45.0));
    assertThat(millis(breakdown, Activity.NOT_SCHEDULED)).isCloseTo(notScheduled, within(45.0));
  }

  /** A span of 10 ms lies between two sights of the thread in native code, which are outside. */
  @Test
  void waitsAroundShortSpan_areNotPartOfIt() {
    recorded(0, 1_000);
    inNative("ray.nativeRunTaskExecutor", 0, 1_000);
    ran(300, 1_000);
    Breakdown breakdown = between(105, 115);
    assertThat(millis(breakdown, Activity.NATIVE)).isZero();
    assertThat(millis(breakdown, Activity.RUNNING)).isEqualTo(10);
  }

  /** The sampler looks at one of them at a time. */
  @Test
  void threadThatIsSeenRarely_isNotKnownToWaitMeanwhile() {
    recorded(0, 1_000);
    inNative("poll", 100, 100);
    inNative("poll", 600, 600);
    ran(500, 1_000);
    assertThat(millis(between(0, 1_000), Activity.NATIVE)).isZero();
  }

  @Test
  void timeAfterTheLastMeasurement_isDividedAsUsual() {
    recorded(0, 2_000);
    ran(500, 1_000);
    assertThat(millis(between(1_200, 1_400), Activity.RUNNING)).isEqualTo(100);
  }

  @Test
  void threadWithoutProcessorTimes_ranAsOftenAsItWasSeen() {
    recorded(0, 1_000);
    seen("a.B.c", 110);
    seen("a.B.c", 130);
    Breakdown breakdown = between(100, 200);
    assertThat(millis(breakdown, Activity.RUNNING)).isEqualTo(40);
    assertThat(millis(breakdown, Activity.UNEXPLAINED)).isEqualTo(60);
  }

  @Test
  void methods_shareTheRunningTimeBySamples() {
    recorded(0, 1_000);
    ran(400, 1_000);
    for (int at = 0; at < 400; at += 10) {
      seen(at % 40 == 0 ? "a.B.one" : "a.B.three", at);
    }
    assertThat(between(0, 1_000).details(Activity.RUNNING))
        .extracting(detail -> detail.what() + " " + Math.round(detail.nanos() / 1e6))
        .containsExactly("a.B.three 300", "a.B.one 100");
  }

  @Test
  void lines_areThoseAtWhichTheApplicationsMethodStood() {
    recorded(0, 1_000);
    ran(1_000, 1_000);
    int jdk = stacks.frame("java.util.HashMap.get", 557);
    int hash = stacks.frame("java.lang.Object.hashCode", -1);
    for (int at = 0; at < 1_000; at += 10) {
      int line = at % 40 == 0 ? 12 : 11;
      if (line == 12) {
        seen(at, hash, jdk, stacks.frame("a.B.c", line), stacks.frame("a.B.run", 3));
      } else {
        seen(at, stacks.frame("a.B.c", line), stacks.frame("a.B.run", 4));
      }
    }
    List<Breakdown.Detail> methods = between(0, 1_000).details(Activity.RUNNING);
    assertThat(methods).hasSize(1);
    assertThat(methods.get(0).what()).isEqualTo("a.B.c");
    assertThat(methods.get(0).lines())
        .extracting(line -> line.line() + " " + Math.round(line.nanos() / 1e6))
        .containsExactly("11 750", "12 250");
  }

  @Test
  void equalStacks_areOneAndThoseOfOtherLinesAreNot() {
    int one = stacks.stack(new int[] {stacks.frame("a.B.c", 1)});
    assertThat(stacks.stack(new int[] {stacks.frame("a.B.c", 1)})).isEqualTo(one);
    assertThat(stacks.stack(new int[] {stacks.frame("a.B.c", 2)})).isNotEqualTo(one);
    assertThat(stacks.method(one)).isEqualTo("a.B.c");
  }

  @Test
  void timeOutsideTheRecording_isWithoutAProfile() {
    recorded(100, 200);
    recorded(300, 400);
    wait(Activity.SLEEPING, "", 0, 1_000);
    Breakdown breakdown = between(50, 450);
    assertThat(millis(breakdown, Activity.NO_PROFILE)).isEqualTo(200);
    assertThat(millis(breakdown, Activity.SLEEPING)).isEqualTo(200);
  }

  @Test
  void threadOfWhichNothingWasRecorded_isUnexplained() {
    recorded(0, 100);
    assertThat(millis(between(0, 50), Activity.UNEXPLAINED)).isEqualTo(50);
  }

  @Test
  void lock_namesWhereItsHolderWas() {
    recorded(0, 1_000);
    process.wait(8, Activity.SLEEPING, "a.Holder.hold (x)", 90 * MILLI, 200 * MILLI);
    process.lockWait(THREAD, "a.Monitor", 8, 100 * MILLI, 200 * MILLI);
    process.lockWait(THREAD, "a.Monitor", 9, 300 * MILLI, 320 * MILLI);
    assertThat(between(0, 400).details(Activity.LOCK))
        .containsExactly(
            new Breakdown.Detail("a.Monitor held by a.Holder.hold", 100e6),
            new Breakdown.Detail("a.Monitor", 20e6));
  }

  @Test
  void heap_isTheMedianAfterCollections() {
    for (double share : List.of(0.1, 0.97, 0.98)) {
      process.heap(share);
    }
    assertThat(process.heapPercent()).isEqualTo(97);
    assertThat(new ProcessActivity(stacks).heapPercent()).isZero();
  }

  @Test
  void workOfOtherThreads_countsInPlaceOfTheWaitForIt() {
    recorded(0, 1_000);
    wait(Activity.PARKED, "join", 0, 100);
    process.wait(21, Activity.SOCKET, "s", 0, 60 * MILLI);
    process.wait(22, Activity.FILE, "f", 0, 60 * MILLI);
    process.work(5, 21, 10 * MILLI, 30 * MILLI);
    process.work(5, 22, 20 * MILLI, 40 * MILLI);
    process.seal();
    Breakdown breakdown = new Breakdown(stacks);
    process.walk(
        process.known(THREAD), 0, 100 * MILLI, new SpanWalk(process, process.works(5), breakdown));
    assertThat(millis(breakdown, Activity.SOCKET)).isEqualTo(15);
    assertThat(millis(breakdown, Activity.FILE)).isEqualTo(15);
    assertThat(millis(breakdown, Activity.PARKED)).isEqualTo(70);
  }
}
