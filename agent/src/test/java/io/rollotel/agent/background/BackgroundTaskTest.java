package io.rollotel.agent.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class BackgroundTaskTest {

  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  @Test
  void rounds_followEachOther() throws Exception {
    CountDownLatch rounds = new CountDownLatch(5);
    LongSupplier work = countingDown(rounds, 1);
    BackgroundTask pump = BackgroundTask.start("test", work);
    try {
      assertThat(rounds.await(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      pump.stop();
    }
  }

  @Test
  void wake_beginsTheNextRoundAtOnce() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(2);
    LongSupplier work =
        () -> {
          second.countDown();
          first.countDown();
          return HOUR;
        };
    BackgroundTask pump = BackgroundTask.start("test", work);
    try {
      assertThat(first.await(10, TimeUnit.MINUTES)).isTrue();
      pump.wake();
      assertThat(second.await(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      pump.stop();
    }
  }

  @Test
  void thread_isADaemonWithoutContextClassLoader() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ran = new CountDownLatch(1);
    LongSupplier work =
        () -> {
          thread.set(Thread.currentThread());
          ran.countDown();
          return HOUR;
        };
    BackgroundTask pump = BackgroundTask.start("roll-otel-test", work);
    assertThat(ran.await(10, TimeUnit.MINUTES)).isTrue();
    assertThat(thread.get().isDaemon()).isTrue();
    assertThat(thread.get().getContextClassLoader()).isNull();
    assertThat(thread.get().getName()).isEqualTo("roll-otel-test");
    pump.stop();
    thread.get().join(TimeUnit.MINUTES.toMillis(10));
    assertThat(thread.get().isAlive()).isFalse();
  }

  @Test
  void roundThatThrows_isSaidOnceAndTriedAgain() throws Exception {
    CountDownLatch rounds = new CountDownLatch(2);
    LongSupplier work =
        () -> {
          rounds.countDown();
          throw new IllegalStateException("round of PumpTest");
        };
    try (Stderr stderr = new Stderr()) {
      BackgroundTask pump = BackgroundTask.start("test", work);
      // It waits a second after a failure unless it is woken.
      while (!rounds.await(1, TimeUnit.MILLISECONDS)) {
        pump.wake();
      }
      pump.stop();
      assertThat(stderr.lines()).singleElement().asString().contains("round of PumpTest");
    }
  }

  @Test
  void workThatIsDropped_takesTheThreadAlong() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ran = new CountDownLatch(1);
    LongSupplier work =
        () -> {
          thread.set(Thread.currentThread());
          ran.countDown();
          return 1_000_000;
        };
    WeakReference<LongSupplier> reference = new WeakReference<>(work);
    BackgroundTask pump = BackgroundTask.start("test", work);
    assertThat(ran.await(10, TimeUnit.MINUTES)).isTrue();

    pump.hold(work);
    work = null;
    System.gc();
    assertThat(reference.get()).as("held").isNotNull();
    pump.release();

    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
    while (thread.get().isAlive() && System.nanoTime() < deadline) {
      System.gc();
      thread.get().join(10);
    }
    assertThat(thread.get().isAlive()).isFalse();
    assertThat(reference.get()).isNull();
  }

  @Test
  void interruptedThread_stillWaitsBetweenRounds() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    AtomicBoolean isRoundInterrupted = new AtomicBoolean();
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch hundredth = new CountDownLatch(100);
    LongSupplier work =
        () -> {
          isRoundInterrupted.compareAndSet(false, Thread.currentThread().isInterrupted());
          thread.set(Thread.currentThread());
          first.countDown();
          hundredth.countDown();
          return HOUR;
        };
    BackgroundTask pump = BackgroundTask.start("test", work);
    try {
      assertThat(first.await(10, TimeUnit.MINUTES)).isTrue();
      thread.get().interrupt();
      assertThat(hundredth.await(200, TimeUnit.MILLISECONDS)).isFalse();
      assertThat(isRoundInterrupted).isFalse();
    } finally {
      pump.stop();
    }
  }

  private static LongSupplier countingDown(CountDownLatch rounds, long waitNanos) {
    return () -> {
      rounds.countDown();
      return waitNanos;
    };
  }
}
