package io.rollotel.agent.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AgentThreadsTest {

  private final AtomicLong nowNanos = new AtomicLong();
  private final AtomicBoolean isAtLimit = new AtomicBoolean();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicReference<Thread> lastMade = new AtomicReference<>();
  private final AgentThreads.PausingPool pool =
      new AgentThreads.PausingPool(
          task -> {
            attempts.incrementAndGet();
            if (isAtLimit.get()) {
              throw new OutOfMemoryError("planted"); // newer JDKs do not call Thread.start
            }
            lastMade.set(new Thread(task));
            return lastMade.get();
          }) {
        @Override
        long nanoTime() {
          return nowNanos.get();
        }
      };

  @AfterEach
  void endPool() {
    pool.shutdown();
  }

  @Test
  void systemWithoutThreads_isAskedAgainOnlyAfterAPause() throws Exception {
    isAtLimit.set(true);
    for (int i = 0; i < 100; i++) {
      refuse();
    }
    assertThat(attempts).hasValue(1);

    isAtLimit.set(false);
    nowNanos.addAndGet(AgentThreads.PausingPool.LEAST_NANOS);
    occupy().countDown();
    assertThat(attempts).hasValue(2);
  }

  @Test
  void taskOfAnIdleThread_doesNotShortenTheNextPause() throws Exception {
    CountDownLatch first = occupy();
    isAtLimit.set(true);
    refuse();
    first.countDown();
    while (lastMade.get().getState() != Thread.State.TIMED_WAITING) { // for its next task
      Thread.onSpinWait();
    }

    nowNanos.addAndGet(AgentThreads.PausingPool.LEAST_NANOS);
    CountDownLatch second = occupy();
    refuse();
    nowNanos.addAndGet(AgentThreads.PausingPool.LEAST_NANOS);
    refuse();
    second.countDown();
    assertThat(attempts).as("the second pause is longer").hasValue(3);
  }

  private void refuse() {
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> pool.execute(() -> {}));
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
    refuse();
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
  }
}
