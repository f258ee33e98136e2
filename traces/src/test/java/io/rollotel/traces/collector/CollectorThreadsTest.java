package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class CollectorThreadsTest {

  private final CountDownLatch begun = new CountDownLatch(2);
  private final CountDownLatch interrupted = new CountDownLatch(2);
  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);

  @Test
  void threadsBusyForTooLong_areFreedForNewWork() throws Exception {
    CollectorThreads threads = new CollectorThreads(2, 0, Thread::new, () -> {});
    threads.execute(this::stall);
    threads.execute(this::stall);
    begun.await();
    threads.execute(done::countDown);
    done.await();
    interrupted.await();
    threads.shutdown();
    assertThat(threads.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void threadsThatHurry_areFreedLongBeforeThePatienceEnds() throws Exception {
    CollectorThreads threads =
        new CollectorThreads(2, TimeUnit.DAYS.toMillis(1), Thread::new, () -> {});
    for (int i = 0; i < 2; i++) {
      threads.execute(
          () -> {
            threads.hurry();
            stall();
          });
    }
    begun.await();
    threads.execute(done::countDown);
    done.await();
    threads.shutdown();
    assertThat(threads.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void threadsBusyForAShortTime_areLeftAlone() throws Exception {
    CollectorThreads threads = new CollectorThreads(2, 60_000, Thread::new, () -> {});
    threads.execute(this::stall);
    threads.execute(this::stall);
    begun.await();
    threads.execute(done::countDown);
    go.countDown();
    done.await();
    threads.shutdown();
    assertThat(threads.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
    assertThat(interrupted.getCount()).isEqualTo(2);
  }

  @Test
  void asManyAsAreServedMayWait_oneMoreIsRefused() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    CollectorThreads threads =
        new CollectorThreads(2, 60_000, Thread::new, refused::incrementAndGet);
    threads.execute(this::stall);
    threads.execute(this::stall);
    begun.await();
    threads.execute(() -> {});
    threads.execute(done::countDown);
    assertThatThrownBy(() -> threads.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(refused).hasValue(1);
    go.countDown();
    done.await();
    threads.shutdown();
    assertThat(threads.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
  }

  private void stall() {
    begun.countDown();
    try {
      go.await();
    } catch (InterruptedException e) {
      interrupted.countDown();
    }
  }
}
