package io.rollotel.agent.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AgentThreadsTest {

  private static final long PAST_THE_FIRST_PAUSE_MILLIS =
      TimeUnit.NANOSECONDS.toMillis(AgentThreads.PausingPool.LEAST_NANOS) + 50;

  private final AtomicBoolean isAtLimit = new AtomicBoolean();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AgentThreads.PausingPool pool =
      new AgentThreads.PausingPool(
          task -> {
            attempts.incrementAndGet();
            if (isAtLimit.get()) {
              throw new OutOfMemoryError("planted"); // newer JDKs do not call Thread.start
            }
            return new Thread(task);
          });

  @Test
  void systemWithoutThreads_isAskedAgainOnlyAfterAPause() throws Exception {
    isAtLimit.set(true);
    for (int i = 0; i < 100; i++) {
      assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> pool.execute(() -> {}));
    }
    assertThat(attempts).hasValue(1);

    isAtLimit.set(false);
    CountDownLatch done = new CountDownLatch(1);
    long beganNanos = System.nanoTime();
    while (done.getCount() != 0) {
      try {
        pool.execute(done::countDown);
        done.await();
      } catch (OutOfMemoryError pausing) {
        Thread.sleep(5); // between two looks
      }
    }
    assertThat(attempts).hasValue(2);
    assertThat(System.nanoTime() - beganNanos)
        .isLessThan(AgentThreads.PausingPool.LEAST_NANOS + TimeUnit.SECONDS.toNanos(30));
    pool.shutdown();
  }

  @Test
  void taskOfAnIdleThread_doesNotShortenTheNextPause() throws Exception {
    CountDownLatch first = occupy();
    isAtLimit.set(true);
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> pool.execute(() -> {}));
    first.countDown();

    Thread.sleep(PAST_THE_FIRST_PAUSE_MILLIS);
    CountDownLatch second = occupy();
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> pool.execute(() -> {}));
    Thread.sleep(PAST_THE_FIRST_PAUSE_MILLIS);
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> pool.execute(() -> {}));
    second.countDown();

    assertThat(attempts).as("the second pause is longer").hasValue(3);
    pool.shutdown();
  }

  /** Keeps a thread of the pool busy until the latch opens. */
  private CountDownLatch occupy() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    begun.await();
    return release;
  }

  @Test
  void threadThatIsIdle_isUsedDuringThePause() throws Exception {
    CountDownLatch release = occupy();
    isAtLimit.set(true);
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> pool.execute(() -> {}));
    release.countDown();

    CountDownLatch done = new CountDownLatch(1);
    while (done.getCount() != 0) {
      try {
        pool.execute(done::countDown);
        done.await();
      } catch (OutOfMemoryError notIdleYet) {
        Thread.onSpinWait();
      }
    }
    assertThat(attempts).as("in the pause nobody else was asked for").hasValue(2);
    pool.shutdown();
  }
}
