package io.rollotel.it;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.rollotel.annotations.Register;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A great many tasks over threads that are used again and again: handed over inside a traced call,
 * a suppressed one, or none; failing or not; leaving a scope open or not. Each task checks that its
 * context is that of the code that handed it over; prints how often it was not.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class ReusedPoolsWorker {

  /** So many may be waiting. */
  private static final int WAITING = 2_000;

  private static final ExecutorService FIXED = Executors.newFixedThreadPool(4);
  private static final ExecutorService STEALING = new ForkJoinPool(4);
  private static final AtomicLong NOT_ITS_OWN = new AtomicLong();
  private static final AtomicLong DONE = new AtomicLong();
  private static final Semaphore ROOM = new Semaphore(WAITING);

  private ReusedPoolsWorker() {}

  /** Takes the number of tasks and a seed. */
  public static void main(String[] arguments) throws Exception {
    long tasks = Long.parseLong(arguments[0]);
    Random random = new Random(Long.parseLong(arguments[1]));
    for (long handed = 0; handed < tasks; handed += 10) {
      // Ten tasks from each call, so that most of the time goes to the tasks.
      int choice = random.nextInt(3);
      if (choice == 0) {
        traced(Payload.traced(), random);
      } else if (choice == 1) {
        suppressed(random);
      } else {
        handOverTen(random);
      }
    }
    ROOM.acquire(WAITING);
    // On fresh threads, nothing is current.
    for (ExecutorService pool : new ExecutorService[] {FIXED, STEALING}) {
      for (int i = 0; i < 16; i++) {
        pool.submit(() -> check(Context.root())).get();
      }
      pool.shutdown();
    }
    System.out.println("tasks " + DONE.get() + ", with a context not their own " + NOT_ITS_OWN);
  }

  @Register(trace = true)
  private static void traced(Payload payload, Random random) throws InterruptedException {
    handOverTen(random);
  }

  @Register
  private static void suppressed(Random random) throws InterruptedException {
    handOverTen(random);
  }

  @Register(trace = true)
  private static void insideTask(Context expected) {
    Span around = Span.fromContext(expected);
    Context current = Context.current();
    if (around.getSpanContext().isValid()
        && !Span.fromContext(current)
            .getSpanContext()
            .getTraceId()
            .equals(around.getSpanContext().getTraceId())) {
      NOT_ITS_OWN.incrementAndGet();
    }
    if (ThreadLocalRandom.current().nextInt(8) == 0) {
      throw new IllegalStateException("as some do");
    }
  }

  private static void handOverTen(Random random) throws InterruptedException {
    Context mine = Context.current();
    for (int i = 0; i < 10; i++) {
      ROOM.acquire();
      ExecutorService pool = random.nextBoolean() ? FIXED : STEALING;
      int way = random.nextInt(4);
      boolean calls = random.nextInt(50) == 0;
      boolean leaves = random.nextInt(20) == 0;
      Runnable task = () -> work(mine, calls, leaves);
      if (way == 0) {
        pool.execute(task);
      } else if (way == 1) {
        var unused = pool.submit(task);
      } else if (way == 2) {
        var unused = CompletableFuture.runAsync(task, pool);
      } else {
        pool.execute(
            new Runnable() {
              @Override
              public void run() {
                task.run();
              }
            });
      }
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // that is the point
  private static void work(Context expected, boolean calls, boolean leavesScope) {
    try {
      check(expected);
      if (calls) {
        insideTask(expected);
      }
      check(expected);
      if (leavesScope && expected != Context.root()) {
        Context.root().with(Span.getInvalid()).makeCurrent();
      }
    } catch (IllegalStateException asSomeDo) {
      check(expected);
    } finally {
      DONE.incrementAndGet();
      ROOM.release();
    }
  }

  private static void check(Context expected) {
    if (Context.current() != expected) {
      NOT_ITS_OWN.incrementAndGet();
    }
  }
}
