package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.MemoryBudget.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class MemoryBudgetTest {

  private static final long UNKNOWN = MemoryBudget.UNKNOWN;

  private final AtomicLong nanos = new AtomicLong(-5); // the clock may begin anywhere
  private final MemoryBudget budget = new MemoryBudget(1000, nanos::get);
  private final List<String> gaveWay = new ArrayList<>();

  @Test
  void requestsWithRoom_areLetInAtOnce() {
    Lease first = enter("first", UNKNOWN);
    assertThat(first.add(499)).isTrue();
    Lease second = enter("second", UNKNOWN);
    assertThat(second.add(501)).isTrue();
    assertThat(first.complete()).isTrue();
    assertThat(second.complete()).isTrue();
    assertThat(gaveWay).isEmpty();
  }

  @Test
  void requestBeyondHalf_waitsForItsTurnOrIsNotLetIn() {
    Lease first = enter("first", 300);
    Lease second = enter("second", 300);
    CompletableFuture<Lease> third = budget.lease(300, true, lease -> {});
    CompletableFuture<Lease> fourth = budget.lease(300, true, lease -> {});
    assertThat(budget.lease(300, false, lease -> {})).isCancelled();
    assertThat(third).isNotDone();

    first.close();
    assertThat(third).isCompleted();
    assertThat(fourth).isNotDone();
    second.close();
    assertThat(fourth).isCompleted();
  }

  @Test
  void requestThatFitsOnlyAlone_waitsUntilItDoesAndNobodyOvertakesIt() {
    Lease small = enter("small", 32);
    CompletableFuture<Lease> large = budget.lease(1000, true, lease -> {});
    CompletableFuture<Lease> next = budget.lease(32, true, lease -> {});
    assertThat(large).isNotDone();
    assertThat(next).isNotDone();
    small.close();
    assertThat(large).isCompleted();
    assertThat(large.join().add(1000)).isTrue();
    assertThat(gaveWay).isEmpty();
    large.join().close();
    assertThat(next).isCompleted();
  }

  @Test
  void requestThatGaveUp_isLeftOutAndALeaseThatCameMeanwhileIsItsOwn() {
    Lease first = enter("first", 600);
    CompletableFuture<Lease> second = budget.lease(600, true, lease -> {});
    CompletableFuture<Lease> third = budget.lease(600, true, lease -> {});
    assertThat(budget.giveUp(second)).isTrue();
    first.close();
    assertThat(second).isCancelled();
    assertThat(third).isCompleted();
    assertThat(budget.giveUp(third)).isFalse();
    third.join().close();
    assertThat(enter("another", 600)).isNotNull();
  }

  @Test
  void moreThanThereIsRoomFor_letsTheYoungestGiveWay() {
    Lease oldest = enter("oldest", UNKNOWN);
    Lease younger = enter("younger", UNKNOWN);
    Lease youngest = enter("youngest", UNKNOWN);
    Lease empty = enter("empty", UNKNOWN);
    oldest.add(400);
    younger.add(300);
    youngest.add(300);
    assertThat(gaveWay).isEmpty();

    assertThat(oldest.add(1)).isTrue();
    assertThat(gaveWay).containsExactly("youngest");
    assertThat(youngest.add(5)).isFalse();
    assertThat(youngest.complete()).isFalse();
    assertThat(oldest.add(250)).as("what leaves is not counted twice").isTrue();
    assertThat(gaveWay).containsExactly("youngest");
    assertThat(younger.add(50)).isFalse();
    assertThat(gaveWay).containsExactly("youngest", "younger");
    assertThat(empty.complete()).as("it had nothing to give").isTrue();
  }

  @Test
  void requestThatIsWhole_doesNotGiveWay() {
    Lease first = enter("first", UNKNOWN);
    Lease second = enter("second", UNKNOWN);
    second.add(600);
    assertThat(second.complete()).isTrue();
    assertThat(first.add(500)).isFalse();
    assertThat(gaveWay).containsExactly("first");
  }

  @Test
  void requestThatGetsNothing_givesWayFirst() {
    Lease stalled = enter("stalled", UNKNOWN);
    stalled.add(600);
    assertThat(budget.lease(UNKNOWN, false, lease -> {})).isCancelled();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1001));
    enter("next", UNKNOWN).add(1);
    assertThat(gaveWay).containsExactly("stalled");
  }

  @Test
  void requestsThatWait_getTheRoomOfOneThatGetsNothing() {
    enter("stalled", UNKNOWN).add(600);
    CompletableFuture<Lease> next = budget.lease(UNKNOWN, true, lease -> {});
    budget.tidy();
    assertThat(next).isNotDone();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1001));
    budget.tidy();
    assertThat(next).isCompleted();
  }

  @Test
  void roomThatIsMadeForOneThatGrows_isGivenToThoseThatWaitToo() {
    Lease growing = enter("growing", UNKNOWN);
    Lease slow = enter("slow", 900);
    CompletableFuture<Lease> next = budget.lease(10, true, lease -> {});
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1001));
    slow.add(10);
    assertThat(growing.add(101)).isTrue();
    assertThat(gaveWay).isEmpty();
    budget.tidy();
    assertThat(next).isCompleted();
  }

  @Test
  void requestThatIsSlow_keepsWhatItHasAndNotWhatItSaysThatItIs() {
    Lease slow = enter("slow", 900);
    slow.add(10);
    CompletableFuture<Lease> next = budget.lease(100, true, lease -> {});
    for (int i = 0; i < 12; i++) {
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
      slow.add(10);
    }
    assertThat(next).isNotDone();
    budget.tidy();
    assertThat(next).isCompleted();
    assertThat(gaveWay).isEmpty();
    assertThat(slow.complete()).isTrue();
  }

  @Test
  void afterATightMoment_noMoreAreLetInThanThereIsRoomFor() {
    List<Lease> many = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      many.add(enter("", UNKNOWN));
    }
    for (int i = 0; i < 200; i++) {
      many.get(i % 8).add(10);
    }
    assertThat(gaveWay).as("of 250 bytes, those beyond four").hasSize(4);
    assertThat(many.subList(0, 4)).allMatch(Lease::complete);
    many.forEach(Lease::close);

    Lease first = enter("", UNKNOWN);
    enter("", UNKNOWN);
    assertThat(budget.lease(UNKNOWN, false, lease -> {})).as("of 250 or so").isCancelled();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
    first.close();
    for (int i = 0; i < 10; i++) {
      enter("", UNKNOWN);
    }
  }

  @Test
  void manyThreads_leaveNothingBehind() throws Exception {
    MemoryBudget shared = new MemoryBudget(10_000);
    AtomicInteger whole = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Random random = new Random(i);
      Thread thread =
          new Thread(
              () -> {
                for (int request = 0; request < 2000; request++) {
                  boolean says = random.nextBoolean();
                  int bytes = random.nextInt(5000);
                  CompletableFuture<Lease> room =
                      shared.lease(says ? bytes : UNKNOWN, random.nextBoolean(), lease -> {});
                  if (room.isCancelled() || (random.nextInt(8) == 0 && shared.giveUp(room))) {
                    continue;
                  }
                  try (Lease lease = room.join()) {
                    boolean isRight = true;
                    for (int left = bytes; left > 0 && isRight; left -= 700) {
                      isRight = lease.add(Math.min(left, 700));
                    }
                    whole.addAndGet(isRight && lease.complete() ? 1 : 0);
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(whole.get()).isGreaterThan(1000);
    assertThat(shared.heldBytes()).isZero();
    assertThat(shared.lease(1, false, lease -> {})).isCompleted();
  }

  private Lease enter(String name, long bytes) {
    CompletableFuture<Lease> room =
        budget.lease(
            bytes,
            false,
            lease -> {
              gaveWay.add(name);
              lease.close();
            });
    assertThat(room).isCompleted();
    return room.join();
  }
}
