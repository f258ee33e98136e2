package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.recorder.Recorder;
import java.io.File;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The queue has room for one span, and the test controls the time. */
class BackpressureTest {

  private static final ReadableSpan SPAN =
      (ReadableSpan) SdkTracerProvider.builder().build().get("test").spanBuilder("a").startSpan();

  private int takenEvery = Integer.MAX_VALUE;
  private long extraNanos;
  private int pauses;
  private int wakes;
  private long nowNanos;

  private final Backpressure backpressure =
      new Backpressure() {
        @Override
        void pause(long nanos) {
          pauses++;
          nowNanos += nanos + extraNanos;
          if (pauses % takenEvery == 0) {
            queue.poll();
          }
        }

        @Override
        long nanoTime() {
          return nowNanos;
        }
      };

  private final SpanQueue queue =
      new SpanQueue(new LostSpans(new Ledger(), new Recorder(0, new File("none"))), backpressure);

  BackpressureTest() {
    queue.configure(1, 1);
    queue.add(SPAN);
  }

  @Test
  void queueWithRoom_isNotWaitedFor() {
    queue.poll();
    assertThat(queue.awaitRoom(() -> wakes++)).isTrue();
    assertThat(pauses).isZero();
    assertThat(queue.wasAwaited()).isFalse();
  }

  @Test
  void queueThatIsEmptied_isWaitedFor() {
    takenEvery = 7;
    assertThat(queue.awaitRoom(() -> wakes++)).isTrue();
    assertThat(pauses).isEqualTo(7);
    assertThat(queue.wasAwaited()).isTrue();
  }

  @Test
  void queueThatNobodyEmpties_isWaitedForOnceUntilSomebodyDoes() {
    assertThat(queue.awaitRoom(() -> wakes++)).isFalse();
    int half = pauses;
    assertThat(half).isEqualTo(500);
    assertThat(queue.awaitRoom(() -> wakes++)).isFalse();
    assertThat(pauses).as("without progress nobody waits again").isEqualTo(half);
    assertThat(wakes).as("nor wakes anybody").isEqualTo(1);
    queue.poll();
    queue.add(SPAN);
    takenEvery = 3;
    assertThat(queue.awaitRoom(() -> wakes++)).isTrue();
    assertThat(pauses).isGreaterThan(half);
  }

  @Test
  void slowQueue_costsFiveSecondsAndThenATenthOfTheTime() {
    takenEvery = 100;
    while (queue.awaitRoom(() -> wakes++)) {
      queue.add(SPAN);
    }
    assertThat(pauses).isBetween(5_000, 6_000);
    int before = pauses;
    nowNanos += TimeUnit.SECONDS.toNanos(10);
    while (queue.awaitRoom(() -> wakes++)) {
      queue.add(SPAN);
    }
    assertThat(pauses - before).isBetween(1_000, 1_200);
  }

  @Test
  void pausesThatTakeLonger_costWhatTheyTake() {
    takenEvery = 10;
    extraNanos = TimeUnit.MILLISECONDS.toNanos(14);
    while (queue.awaitRoom(() -> wakes++)) {
      queue.add(SPAN);
    }
    assertThat(nowNanos).isBetween(TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(6));
  }

  @Test
  void interruptWhileWaiting_doesNotEndTheWaitAndIsGivenBack() {
    takenEvery = 5;
    Thread.currentThread().interrupt();
    assertThat(queue.awaitRoom(() -> wakes++)).isTrue();
    assertThat(pauses).isEqualTo(5);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void agentsOwnThread_doesNotWait() throws Exception {
    assertThat(AgentThreads.passing().submit(() -> queue.awaitRoom(() -> wakes++)).get()).isFalse();
    assertThat(pauses).isZero();
  }
}
