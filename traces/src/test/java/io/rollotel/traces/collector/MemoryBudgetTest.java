package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.collector.MemoryBudget.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class MemoryBudgetTest {

  private static final int KIB = 1 << 10;

  private final MemoryBudget budget = new MemoryBudget(1000 * KIB, 600 * KIB);

  @Test
  void requestThatFits_isAdmittedAtOnceAndAlwaysBecomesComplete() {
    Reservation first = admitted(500);
    Reservation second = admitted(500);
    assertThat(first.add(500 * KIB)).isTrue();
    assertThat(second.add(500 * KIB)).isTrue();
  }

  @Test
  void requestThatWaits_isAdmittedWhenThereIsRoom_andNoneOvertakesIt() throws Refusal {
    Reservation first = admitted(600);
    CompletableFuture<Reservation> large = budget.reserve(900 * KIB);
    CompletableFuture<Reservation> small = budget.reserve(300 * KIB);
    Reservation ofUnknownSize = budget.reserve(); // the one beyond the bound
    assertThatThrownBy(budget::reserve).isInstanceOf(Refusal.class);
    ofUnknownSize.close();
    assertThat(large).isNotDone();
    assertThat(small).isNotDone();
    first.close();
    assertThat(small).isNotDone();
    large.join().close();
    small.join().close();
  }

  @Test
  void requestThatWaitsNoMore_letsTheNextIn() {
    Reservation first = admitted(600);
    CompletableFuture<Reservation> large = budget.reserve(900 * KIB);
    CompletableFuture<Reservation> small = budget.reserve(300 * KIB);
    large.completeExceptionally(budget.refusal());
    small.join().close();
    first.close();
    admitted(1000);
  }

  /** One for which there is room. */
  private Reservation admitted(int kib) {
    CompletableFuture<Reservation> admission = budget.reserve(kib * KIB);
    assertThat(admission).isCompleted();
    return admission.join();
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
    Reservation inside = admitted(1);
    Reservation ofUnknownSize = budget.reserve();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> budget.close(3_600_000));
    while (budget.refusal().reason() != Refusal.Reason.STOPPING) {
      Thread.sleep(1);
    }
    assertThat(budget.reserve(10)).isCompletedExceptionally();
    assertThatThrownBy(budget::reserve).isInstanceOf(Refusal.class);
    inside.close();
    assertThat(closing).isNotDone();
    ofUnknownSize.close();
    closing.get();
  }

  @Test
  void requestThatWaitsWhileTheBudgetIsClosed_isNotAdmitted() {
    Reservation inside = admitted(600);
    CompletableFuture<Reservation> waiting = budget.reserve(900 * KIB);
    budget.close(0);
    inside.close();
    assertThatThrownBy(waiting::join)
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
    assertThat(admitted(1000).add(1000 * KIB)).isTrue();
  }

  private void use(Random random, AtomicInteger whole) {
    for (int request = 0; request < 2000; request++) {
      int bytes = random.nextInt(500 * KIB);
      try (Reservation room =
          random.nextBoolean() ? budget.reserve(bytes).join() : budget.reserve()) {
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
