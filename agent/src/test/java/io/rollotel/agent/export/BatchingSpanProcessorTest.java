package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.data.DelegatingSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.sdk.Run;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rounds of exports, and flushes. */
class BatchingSpanProcessorTest extends BatchingFixture {

  @Test
  void unsampledSpan_isNotQueued() throws Exception {
    try (Run run = Run.alone(directory, 100, 10)) {
      run.queue.start();
      run.endUnsampled("unsampled");
      run.end("sampled");
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.namesIn(run.ownFile())).containsExactly("sampled");
    }
  }

  @Test
  void round_goesOutInBatches() throws Exception {
    try (Run run = Run.alone(directory, 10, 4)) {
      run.end(IntStream.range(0, 10).mapToObj(i -> "span" + i).toArray(String[]::new));
      run.queue.getAsLong();
      assertThat(run.linesOf(run.ownFile())).hasSize(3);
      assertThat(run.spans()).extracting(span -> span.name()).hasSize(10).startsWith("span0");
    }
  }

  @Test
  void batchThatIsNotCountedByItsNamesForWantOfMemory_isInTheOwnFile() throws Exception {
    try (Run run = Run.alone(directory, 100, 10)) {
      for (String name : List.of("a", "b", "c")) {
        run.queue.onEnd(countedWithoutMemory(run.tracer.spanBuilder(name).startSpan()));
      }
      run.queue.start();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b", "c");
      assertThat(run.account.spans()).startsWith("0 spans exported, 0 dropped, 3 kept");
    }
  }

  /** The first look at its end, which is that of {@link RunLimit}, finds no memory. */
  private static ReadableSpan countedWithoutMemory(Span span) {
    SpanData data = new CountedWithoutMemory(((ReadableSpan) span).toSpanData());
    return (ReadableSpan)
        Proxy.newProxyInstance(
            ReadableSpan.class.getClassLoader(),
            new Class<?>[] {ReadableSpan.class},
            (proxy, method, arguments) ->
                method.getName().equals("toSpanData") ? data : method.invoke(span, arguments));
  }

  private static final class CountedWithoutMemory extends DelegatingSpanData {
    private boolean isCounted;

    CountedWithoutMemory(SpanData data) {
      super(data);
    }

    @Override
    public long getEndEpochNanos() {
      if (!isCounted) {
        isCounted = true;
        throw new EvenItsTextNeedsMemory();
      }
      return super.getEndEpochNanos();
    }
  }

  private static final class EvenItsTextNeedsMemory extends OutOfMemoryError {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw this;
    }
  }

  @Test
  void roundWithoutCollector_waitsWhileTheQueueIsHalfEmpty() {
    try (Run run = Run.alone(directory, 10, 4)) {
      run.end("a", "b", "c", "d", "e");
      long waitNanos = run.queue.getAsLong();
      assertThat(waitNanos).isBetween(1L, TimeUnit.MILLISECONDS.toNanos(100));
      assertThat(run.ownFile()).doesNotExist();

      run.end("f");
      run.queue.getAsLong();
      assertThat(run.ownFile()).exists();
    }
  }

  @Test
  void flushSoon_doesNotWaitForTheDelay() throws Exception {
    // Nobody listens there, so the spans are in the own file.
    try (Run run = Run.withEndpoint(directory, "http://127.0.0.1:1", 1_000)) {
      run.queue.start();
      for (String name : List.of("a", "b")) {
        run.end(name);
        run.queue.flushSoon();
        long deadlineNanos = Run.inSeconds(600);
        while (!run.namesIn(run.ownFile()).contains(name)) {
          assertThat(System.nanoTime()).isLessThan(deadlineNanos);
          Thread.sleep(10); // between two looks
        }
      }
    }
  }

  // ---- dropping

  @Test
  void fullQueue_dropsAndSaysSo() throws Exception {
    try (Run run = Run.alone(directory, 3, 3);
        Stderr stderr = new Stderr()) {
      run.end("a", "b", "c", "d", "e");
      run.queue.getAsLong();
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b", "c");
      assertThat(said(stderr))
          .singleElement()
          .asString()
          .startsWith("[roll-otel] " + DROPPED)
          .contains("OTEL_BSP_MAX_QUEUE_SIZE is 3");
    }
  }

  @Test
  void queueThatNeverFilled_saysNothing() {
    try (Run run = Run.alone(directory, 4, 4);
        Stderr stderr = new Stderr()) {
      run.end("a", "b", "c", "d");
      run.queue.getAsLong();
      run.end("e", "f", "g", "h");
      run.queue.getAsLong();
      assertThat(said(stderr)).isEmpty();
    }
  }

  @Test
  void fullQueueInSeveralRounds_isSaidOnce() {
    try (Run run = Run.alone(directory, 5, 5);
        Stderr stderr = new Stderr()) {
      for (int round = 0; round < 3; round++) {
        run.end("1", "2", "3", "4", "5", "6");
        run.queue.getAsLong();
      }
      assertThat(said(stderr)).hasSize(1);
    }
  }

  @Test
  void largeSpans_areHeldInSmallerNumber() {
    String eightMegabytes = "x".repeat(8 << 20);
    try (Run run = Run.alone(directory, 1000, 10);
        Stderr stderr = new Stderr()) {
      endLarge(run, eightMegabytes, 2);
      run.queue.getAsLong();
      endLarge(run, eightMegabytes, 20);
      assertThat(run.account.spans()).isEqualTo("0 spans exported, 15 dropped");
      run.queue.getAsLong();
      assertThat(said(stderr)).singleElement().asString().contains(DROPPED);
      assertThat(run.account.spans()).contains("15 dropped, 7 kept in its own file");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 50})
  void oneLargeSpan_leavesTheRoomOfTheOthers(int othersInItsBatch) {
    try (Run run = Run.alone(directory, 2000, 100)) {
      endLarge(run, "x".repeat(12 << 20), 1);
      for (int i = 0; i < othersInItsBatch; i++) {
        run.end("small");
      }
      run.queue.forceFlush(); // makes the round bring them into the own file
      run.queue.getAsLong();
      for (int i = 0; i < 1000; i++) {
        run.end("small");
      }
      assertThat(run.account.spans()).contains(" 0 dropped");
    }
  }

  /** A batch ends with the span that takes it past 2 MiB: each has one large span. */
  @Test
  void oneLargeSpanInEachBatch_leavesLessRoom() {
    try (Run run = Run.alone(directory, 10_000, 100)) {
      for (int batch = 0; batch < 3; batch++) {
        for (int i = 0; i < 20; i++) {
          run.end("small");
        }
        endLarge(run, "x".repeat(4 << 20), 1);
        run.queue.forceFlush();
        run.queue.getAsLong();
      }
      for (int i = 0; i < 2_000; i++) {
        run.end("small");
      }
      assertThat(run.account.spans()).doesNotContain(" 0 dropped");
    }
  }

  // ---- more spans than there is room for

  @Test
  void spansThatEndFasterThanTheyGoOut_areHeldUpAndNoneIsLost() throws Exception {
    int spans = 20_000;
    try (Run run = Run.alone(directory, 100, 10);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      for (int i = 0; i < spans; i++) {
        run.end("span" + i);
      }
      run.queue.close(System.nanoTime(), true);
      assertThat(stderr.lines()).isEmpty();
      assertThat(new HashSet<>(run.namesIn(run.ownFile()))).hasSize(spans);
      assertThat(run.account.spans()).startsWith("0 spans exported, 0 dropped, ");
    }
  }

  // ---- a collector that does not answer

  @Test
  void moreSpansThanThereIsRoomForWhileAnAnswerIsAwaited_goToTheOwnFile() throws Exception {
    int spans = 500;
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Run run =
            Run.withEndpoint(
                directory, "http://127.0.0.1:" + silent.getLocalPort(), 3_600_000, 100);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      run.end("span0");
      run.queue.forceFlush();
      try (Socket request = silent.accept()) {
        for (int i = 1; i < spans; i++) {
          run.end("span" + i);
          if (i % 20 == 0) {
            // Fewer than three quarters of the queue may wait, and the collector has one.
            await(run, i - 74);
          }
        }
        run.queue.close(System.nanoTime(), true);
        assertThat(stderr.lines())
            .singleElement()
            .asString()
            .contains(spans + " spans were not delivered to http://127.0.0.1:", "in time");
      }
      assertThat(new HashSet<>(run.namesIn(run.ownFile()))).hasSize(spans);
      assertThat(run.account.spans()).startsWith("0 spans exported, 0 dropped, ");
    }
  }

  /** The queue has room for all of them, the recorder's file for half of them. */
  @Test
  void moreSpansThanTheRecorderHoldsWhileAnAnswerIsAwaited_areNotOverwritten() throws Exception {
    int spans = 6_000;
    Recorder recorder =
        new Recorder(
            2 * RecordingLayout.LEAST_BYTES, directory.resolve(Recordings.FOLDER).toFile());
    recorder.open("host-1", Map.of());
    assertThat(recorder.endedRoom()).isLessThan(spans / 2);
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Run run =
            Run.withEndpoint(
                directory,
                "http://127.0.0.1:" + silent.getLocalPort(),
                3_600_000,
                2 * spans,
                recorder)) {
      run.queue.start();
      run.end("span0");
      run.queue.forceFlush();
      try (Socket request = silent.accept()) {
        int batch = 512;
        int mayWait = Math.max(2 * batch, recorder.endedRoom() - 2 * batch);
        for (int i = 1; i < spans; i++) {
          run.end("span" + i);
          if (i % 100 == 0) {
            await(run, i - mayWait);
          }
        }
        Recording known = dead(directory.resolve("open/host-1.rec"));
        assertThat(known.overwrittenSpans()).isZero();
        Set<String> all = new HashSet<>();
        new TracesReader().read(run.ownFile().toPath(), span -> all.add(span.spanId()));
        known.ended().forEach(span -> all.add(span.spanId()));
        assertThat(all).hasSize(spans);
        run.queue.close(System.nanoTime(), true);
      }
    } finally {
      recorder.close();
    }
  }

  // ---- flush

  @Test
  void forceFlush_isCompleteWhenItsRoundIs() throws Exception {
    try (Run run = Run.alone(directory, 3, 3)) {
      run.end("a", "b");
      CompletableResultCode flush = run.queue.forceFlush();
      assertThat(flush.isDone()).isFalse();
      run.queue.getAsLong();
      assertThat(flush.isSuccess()).isTrue();
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b");
    }
  }

  @Test
  void forceFlush_wakesTheBackgroundThread() throws Exception {
    try (Run run = Run.driver(directory)) {
      run.queue.start();
      run.end("a", "b");
      assertThat(run.queue.forceFlush().join(10, TimeUnit.MINUTES).isSuccess()).isTrue();
      assertThat(run.spans()).hasSize(2);
    }
  }

  @Test
  void shutdownOfTheProvider_doesNotCloseTheQueue() throws Exception {
    // Close has a deadline and is called by the agent; the provider's shutdown has none.
    try (Run run = Run.alone(directory, 10, 10)) {
      run.queue.start();
      run.end("a");
      assertThat(run.provider.shutdown().join(10, TimeUnit.MINUTES).isSuccess()).isTrue();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.namesIn(run.ownFile())).containsExactly("a");
    }
  }

  @Test
  void forceFlushAfterClose_isCompleteAtOnce() {
    try (Run run = Run.alone(directory, 10, 10)) {
      run.queue.start();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.queue.forceFlush().isDone()).isTrue();
    }
  }

  @Test
  void forceFlushWithoutCollector_goesToTheOwnFile() throws Exception {
    try (Run run = Run.alone(directory, 10, 10)) {
      run.queue.start();
      run.end("a");
      assertThat(run.queue.forceFlush().join(10, TimeUnit.MINUTES).isSuccess()).isTrue();
      assertThat(run.namesIn(run.ownFile())).containsExactly("a");
    }
  }
}
