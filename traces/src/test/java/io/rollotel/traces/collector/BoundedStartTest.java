package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoundedStartTest {

  /** Nobody waits so long in a test that passes. */
  private static final long LONG_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private final LinkedBlockingQueue<String> undone = new LinkedBlockingQueue<>();

  @Test
  void start_isHandedOver() throws Exception {
    BoundedStart<String> start = new BoundedStart<>(() -> "server", undone::add);
    assertThat(start.await(begin(start), LONG_MILLIS)).isEqualTo("server");
    assertThat(undone).isEmpty();
  }

  @Test
  void startThatFails_isSaidWithItsCause() {
    IllegalStateException reason = new IllegalStateException("the port is taken");
    BoundedStart<String> start =
        new BoundedStart<>(
            () -> {
              throw reason;
            },
            undone::add);
    assertThatThrownBy(() -> start.await(begin(start), LONG_MILLIS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the port is taken")
        .hasCause(reason);
  }

  @Test
  void startThatNeverReturns_isGivenUpAndUndoneWhenItReturnsAfterAll() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    BoundedStart<String> start =
        new BoundedStart<>(
            () -> {
              release.await();
              return "late";
            },
            undone::add);
    Thread thread = begin(start);
    assertThatThrownBy(() -> start.await(thread, 20))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("20 ms");
    release.countDown();
    assertThat(undone.poll(10, TimeUnit.MINUTES)).isEqualTo("late");
  }

  /** As it does where even the note of an OutOfMemoryError finds no memory. */
  @Test
  void threadThatDiesWithoutAWord_isNotWaitedFor() throws Exception {
    BoundedStart<String> start = new BoundedStart<>(() -> "never", undone::add);
    Thread dead = new Thread(() -> {});
    dead.start();
    assertThatThrownBy(() -> start.await(dead, LONG_MILLIS))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(VirtualMachineError.class);
  }

  @Test
  void interruptWhileWaiting_isKept() throws Exception {
    BoundedStart<String> start = new BoundedStart<>(() -> "server", undone::add);
    Thread.currentThread().interrupt();
    assertThat(start.await(begin(start), LONG_MILLIS)).isEqualTo("server");
    assertThat(Thread.interrupted()).isTrue();
  }

  private static Thread begin(Runnable start) {
    Thread thread = new Thread(start);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
