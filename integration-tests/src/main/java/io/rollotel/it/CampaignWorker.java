package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Does what follows from a seed: traced calls of many kinds, and faults of many kinds. Takes the
 * seed, the number of steps, and whether the heap may be full. Its last line has a sum that depends
 * on the seed alone, how many traced calls it has made, and how many of them may be without a span,
 * since the heap or the stack was full.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class CampaignWorker {

  private static final int LARGEST_BYTES = 1 << 20;
  private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private static final AtomicLong MADE = new AtomicLong();
  private static final AtomicLong UNSURE = new AtomicLong();

  private static Object @Nullable [] hoard;
  private static long sum;

  private CampaignWorker() {}

  /** Returns when all steps are done. */
  public static void main(String[] arguments) throws Exception {
    Random random = new Random(Long.parseLong(arguments[0]));
    int steps = Integer.parseInt(arguments[1]);
    ExecutorService pool = Executors.newFixedThreadPool(3, CampaignWorker::daemon);
    for (int step = 0; step < steps; step++) {
      int size = 1 + random.nextInt(500);
      switch (random.nextInt(12)) {
        case 0 -> {
          if (Boolean.parseBoolean(arguments[2])) {
            fillHeap(size % 20);
          }
        }
        case 1 -> overflowStack();
        case 2 -> useUpDescriptors(size % 50);
        case 3 -> fail(size % 20);
        case 4 -> completeFutures(size);
        case 5 -> handOver(pool, size);
        case 6, 7 -> Thread.sleep(size / 5);
        default -> call(size * 10);
      }
      sum = sum * 31 + size;
    }
    pool.shutdown();
    System.out.println("= " + sum + " " + MADE + " " + UNSURE);
  }

  /** Does not keep the JVM alive if an OutOfMemoryError ends the main thread. */
  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  private static void call(int times) {
    for (int i = 0; i < times; i++) {
      sum += outer(i);
    }
  }

  private static void fillHeap(int calls) {
    long endNanos = System.nanoTime() + FULL_NANOS;
    fill();
    for (int i = 0; i < calls; i++) {
      UNSURE.incrementAndGet();
      try {
        leaf(0);
      } catch (OutOfMemoryError asExpected) {
        // As any allocation here.
      }
    }
    while (System.nanoTime() - endNanos < 0) {
      fill(); // also what others have freed meanwhile
    }
    hoard = null;
  }

  private static void fill() {
    for (int bytes = LARGEST_BYTES; bytes >= 16; ) {
      try {
        hoard = new Object[] {hoard, new byte[bytes]};
      } catch (OutOfMemoryError full) {
        bytes /= 16; // each failure costs collections, and the agent's heap is larger
      }
    }
  }

  private static void overflowStack() {
    long before = MADE.get();
    try {
      endless(0);
    } catch (StackOverflowError asExpected) {
      sum++;
    }
    UNSURE.addAndGet(MADE.get() - before);
  }

  private static void useUpDescriptors(int calls) throws IOException {
    Deque<Closeable> open = new ArrayDeque<>();
    try {
      for (int i = 0; i < 100_000; i++) {
        open.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException none) {
      // As expected; with a limit of millions this is not reached.
    }
    call(calls);
    for (Closeable file : open) {
      file.close();
    }
  }

  private static void fail(int times) {
    for (int i = 0; i < times; i++) {
      try {
        failing("x".repeat(i * 10_000));
      } catch (IllegalStateException asExpected) {
        sum += i;
      }
    }
  }

  private static void completeFutures(int number) {
    Deque<CompletableFuture<Integer>> open = new ArrayDeque<>();
    for (int i = 0; i < number; i++) {
      open.add(later(new CompletableFuture<>()));
    }
    while (!open.isEmpty()) {
      open.poll().complete(1);
    }
  }

  private static void handOver(ExecutorService pool, int tasks) throws Exception {
    Deque<Future<Integer>> results = new ArrayDeque<>();
    for (int i = 0; i < tasks; i++) {
      int number = i;
      results.add(pool.submit(() -> leaf(number)));
    }
    for (Future<Integer> result : results) {
      sum += result.get();
    }
  }

  @Register(trace = true)
  private static int outer(int i) {
    MADE.incrementAndGet();
    return leaf(i);
  }

  @Register(trace = true)
  private static int leaf(int i) {
    MADE.incrementAndGet();
    return i % 7;
  }

  @Register(trace = true)
  @SuppressWarnings("InfiniteRecursion") // that is the point
  private static int endless(int depth) {
    MADE.incrementAndGet();
    return endless(depth + 1) + 1;
  }

  @Register(trace = true)
  private static void failing(String message) {
    MADE.incrementAndGet();
    throw new IllegalStateException(message);
  }

  @Register(trace = true)
  private static CompletableFuture<Integer> later(CompletableFuture<Integer> future) {
    MADE.incrementAndGet();
    return future;
  }
}
