package io.rollotel.agent.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PassingCallTest {

  private static final long MINUTES = TimeUnit.MINUTES.toNanos(10);

  @Test
  void callThatReturns_givesItsResultAndIsNotStuck() throws Exception {
    PassingCall<String> call = new PassingCall<>(() -> "done");
    assertThat(call.isStuck()).as("before").isFalse();
    assertThat(call.get(MINUTES)).isEqualTo("done");
    assertThat(call.isStuck()).as("after").isFalse();
  }

  @Test
  void callThatThrows_isNotStuck() {
    PassingCall<String> call =
        new PassingCall<>(
            () -> {
              throw new NoSuchMethodError("old API");
            });
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> call.get(MINUTES))
        .withCauseInstanceOf(NoSuchMethodError.class);
    assertThat(call.isStuck()).isFalse();
  }

  @Tag("campaign")
  @Test
  void callThatHangs_isStuckUntilItReturns() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread[] worker = new Thread[1];
    PassingCall<String> call =
        new PassingCall<>(
            () -> {
              worker[0] = Thread.currentThread();
              running.countDown();
              release.await();
              return "late";
            });
    assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> call.get(0));
    running.await();
    assertThat(call.isStuck()).isTrue();
    release.countDown();
    worker[0].join(TimeUnit.MINUTES.toMillis(10)); // it ends after three idle seconds
    assertThat(call.isStuck()).isFalse();
  }

  @Test
  void callThatTakesTime_letsItsCallerDoSomethingMeanwhile() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    PassingCall<String> call =
        new PassingCall<>(
            () -> {
              release.await();
              return "done";
            });
    Thread.currentThread().interrupt();
    assertThat(call.get(MINUTES, release::countDown)).isEqualTo("done");
    assertThat(Thread.interrupted()).as("the interrupt is given back").isTrue();
  }
}
