package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.collector.MemoryBudget.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class MemoryBudgetTest {

  private static final int KIB = 1 << 10;

  private final MemoryBudget budget = budget(TimeUnit.HOURS.toMillis(1));

  private static MemoryBudget budget(long waitMillis) {
    return new MemoryBudget(1000 * KIB, 600 * KIB, waitMillis);
  }

  @Test
  void requestThatFits_isAdmittedAndAlwaysBecomesComplete() throws Refusal {
    Reservation first = budget.reserve(500 * KIB);
    Reservation second = budget.reserve(500 * KIB);
    assertThat(first.add(500 * KIB)).isTrue();
    assertThat(second.add(500 * KIB)).isTrue();
  }

  @Test
  void requestWithoutRoom_waitsAndIsThenRefused() throws Refusal {
    MemoryBudget impatient = budget(100);
    impatient.reserve(600 * KIB);
    long startNanos = System.nanoTime();
    assertThatThrownBy(() -> impatient.reserve(500 * KIB))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Refusal.Reason.OVERLOADED));
    assertThat(System.nanoTime() - startNanos).isGreaterThanOrEqualTo(100_000_000);
  }

  @Test
  void requestThatWaits_isAdmittedWhenThereIsRoom_andNoneOvertakesIt() throws Exception {
    Reservation first = budget.reserve(600 * KIB);
    FutureTask<Void> large = waiting(900);
    FutureTask<Void> small = waiting(300);
    Reservation ofUnknownSize = budget.reserve(); // the one beyond the bound
    assertThatThrownBy(budget::reserve).isInstanceOf(Refusal.class);
    assertThat(large).isNotDone();
    assertThat(small).isNotDone();
    ofUnknownSize.close();
    first.close();
    large.get();
    small.get();
  }

  /** One that is in the queue. */
  private FutureTask<Void> waiting(int kib) throws InterruptedException {
    FutureTask<Void> request =
        new FutureTask<>(
            () -> {
              budget.reserve(kib * KIB).close();
              return null;
            });
    Thread thread = new Thread(request);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertThat(request).isNotDone();
      Thread.sleep(1);
    }
    return request;
  }

  @Test
  void requestsOfUnknownSize_areRefusedWhenTheBoundIsReached_butForOne() throws Refusal {
    Reservation first = budget.reserve();
    Reservation second = budget.reserve();
    Reservation third = budget.reserve();
    assertThat(first.add(500 * KIB)).isTrue();
    assertThat(second.add(400 * KIB)).isTrue();
    assertThat(third.add(200 * KIB)).as("beyond the bound").isTrue();
    assertThat(first.add(200 * KIB)).isFalse();
    assertThat(third.add(400 * KIB)).isTrue();
    assertThat(third.add(601 * KIB)).as("even counted twice").isFalse();
  }

  @Test
  void largeRequestsOfUnknownSize_areAdmittedOnlyAsFarAsTheyFit() throws Refusal {
    List<Reservation> first = new ArrayList<>();
    first.add(budget.reserve());
    assertThat(first.get(0).add(450 * KIB)).isTrue();
    first.add(budget.reserve());
    first.add(budget.reserve()); // the one beyond the bound
    assertThatThrownBy(budget::reserve).isInstanceOf(Refusal.class);
    assertThat(first).allMatch(one -> one.add(100));
    first.forEach(Reservation::close);
    for (int i = 0; i < 40; i++) {
      Reservation small = budget.reserve();
      assertThat(small.add(100)).isTrue();
      small.close();
    }
    for (int i = 0; i < 10; i++) {
      assertThat(budget.reserve().add(50 * KIB)).isTrue();
    }
  }

  @Test
  void closedBudget_waitsForThoseInsideAndAdmitsNobody() throws Exception {
    Reservation inside = budget.reserve(10);
    Reservation ofUnknownSize = budget.reserve();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> budget.close(3_600_000));
    while (budget.refusal().reason() != Refusal.Reason.STOPPING) {
      Thread.sleep(1);
    }
    assertThatThrownBy(() -> budget.reserve(10)).isInstanceOf(Refusal.class);
    assertThatThrownBy(budget::reserve).isInstanceOf(Refusal.class);
    inside.close();
    assertThat(closing).isNotDone();
    ofUnknownSize.close();
    closing.get();
  }

  @Test
  void requestThatWaitsWhileTheBudgetIsClosed_isNotAdmitted() throws Exception {
    Reservation inside = budget.reserve(600 * KIB);
    FutureTask<Void> waiting = waiting(900);
    budget.close(0);
    inside.close();
    assertThatThrownBy(waiting::get)
        .cause()
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Refusal.Reason.STOPPING));
  }

  @Test
  void manyThreads_leaveNothingBehind() throws Exception {
    AtomicInteger whole = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Random random = new Random(i);
      Thread thread = new Thread(() -> use(random, whole));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(whole.get()).isGreaterThan(1000);
    assertThat(budget.reserve(1000 * KIB).add(1000 * KIB)).isTrue();
  }

  private void use(Random random, AtomicInteger whole) {
    for (int request = 0; request < 2000; request++) {
      int bytes = random.nextInt(500 * KIB);
      try (Reservation room = random.nextBoolean() ? budget.reserve(bytes) : budget.reserve()) {
        boolean isRight = true;
        for (int left = bytes; left > 0 && isRight; left -= 70_000) {
          isRight = room.add(Math.min(left, 70_000));
        }
        whole.addAndGet(isRight ? 1 : 0);
      } catch (Refusal e) {
        // as may be
      }
    }
  }
}
