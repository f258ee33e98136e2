package io.rollotel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.rollotel.annotations.Register;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A fixed amount of work, of which two methods do three parts and one part, with a sleep between
 * the calls: see {@code benchmarks/profilers}.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class HotPair {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int PART = 1_100_000;
  private static final int WARM_UP_CALLS = 20;

  private static final LongAdder THREE_NANOS = new LongAdder();
  private static final LongAdder ONE_NANOS = new LongAdder();
  private static final LongAdder SLEPT_NANOS = new LongAdder();
  private static final LongAdder WORKED_NANOS = new LongAdder();

  private static volatile double sink;

  private HotPair() {}

  /**
   * Prints, measured by the program itself: the first method's part of the processor time of both,
   * the sleeps' part of the calls' time, and the seconds of processor time and of time that the
   * process took after its warm-up.
   *
   * @param arguments how many threads work, and how many calls each makes
   */
  public static void main(String[] arguments) throws InterruptedException {
    int threads = Integer.parseInt(arguments[0]);
    int calls = Integer.parseInt(arguments[1]);
    for (int i = 0; i < WARM_UP_CALLS; i++) {
      work();
    }
    Thread.sleep(500); // Flight Recorder has begun meanwhile
    List.of(THREE_NANOS, ONE_NANOS, SLEPT_NANOS, WORKED_NANOS).forEach(LongAdder::reset);
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long processorNanos = process.getProcessCpuTime();
    long startNanos = System.nanoTime();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> call(calls), "hot pair " + i);
      thread.start();
      all.add(thread);
    }
    for (Thread thread : all) {
      thread.join();
    }
    long tookNanos = System.nanoTime() - startNanos;
    processorNanos = process.getProcessCpuTime() - processorNanos;
    System.out.println(
        THREE_NANOS.sum() / (double) (THREE_NANOS.sum() + ONE_NANOS.sum())
            + " "
            + SLEPT_NANOS.sum() / (double) WORKED_NANOS.sum()
            + " "
            + processorNanos / 1e9
            + " "
            + tookNanos / 1e9);
  }

  private static void call(int calls) {
    for (int i = 0; i < calls; i++) {
      work();
    }
  }

  /** The traced method. */
  @Register(trace = true)
  private static void work() {
    long startNanos = System.nanoTime();
    long processorNanos = THREADS.getCurrentThreadCpuTime();
    threeParts();
    long betweenNanos = THREADS.getCurrentThreadCpuTime();
    onePart();
    long endNanos = THREADS.getCurrentThreadCpuTime();
    THREE_NANOS.add(betweenNanos - processorNanos);
    ONE_NANOS.add(endNanos - betweenNanos);
    long sleepNanos = System.nanoTime();
    nap();
    long wokenNanos = System.nanoTime();
    SLEPT_NANOS.add(wokenNanos - sleepNanos);
    WORKED_NANOS.add(wokenNanos - startNanos);
  }

  private static void threeParts() {
    burn(3 * PART);
  }

  private static void onePart() {
    burn(PART);
  }

  private static void burn(int iterations) {
    double sum = sink;
    for (int i = 1; i < iterations; i++) {
      sum += Math.sqrt(sum + i) / i;
    }
    sink = sum;
  }

  private static void nap() {
    try {
      TimeUnit.MILLISECONDS.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
