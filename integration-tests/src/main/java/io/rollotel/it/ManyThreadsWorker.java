package io.rollotel.it;

import io.opentelemetry.context.Context;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Traced calls on many threads, in rounds: in each, the calls of all threads are open at once. The
 * sender of the call number n has n + 1 as its ids.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class ManyThreadsWorker {

  /** How many threads. */
  static final int THREADS = 64;

  /** How many calls each thread makes. */
  static final int ROUNDS = 157;

  private static final AtomicInteger LEFT_BEHIND = new AtomicInteger();
  private static final CyclicBarrier ALL_INSIDE = new CyclicBarrier(THREADS);

  private ManyThreadsWorker() {}

  /** Runs to the end of all threads. */
  public static void main(String[] arguments) throws Exception {
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      int first = i;
      threads[i] = new Thread(() -> calls(first));
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("left behind " + LEFT_BEHIND);
  }

  private static void calls(int first) {
    for (int round = 0; round < ROUNDS; round++) {
      int number = round * THREADS + first;
      Map<String, Object> context = new HashMap<>();
      context.put("traceparent", String.format("00-%032x-%016x-01", number + 1, number + 1));
      train(Payload.withContext(context), number);
      if (Context.current() != Context.root()) {
        LEFT_BEHIND.incrementAndGet();
      }
    }
  }

  @Register(trace = true)
  private static void train(Payload payload, @SpanAttribute("call") int number) {
    try {
      ALL_INSIDE.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    if (number % 2 == 0) {
      score(number);
    }
  }

  @Register(trace = true)
  private static void score(@SpanAttribute("call") int number) {}
}
