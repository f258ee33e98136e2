package io.rollotel.benchmarks;

import io.rollotel.benchmarks.peers.Payloads;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;

/**
 * Calls the generated methods of the given number of classes, in turn. {@code threads FOLDER SITES
 * SECONDS N…} prints a call's processor time with so many threads at once. {@code delivered FOLDER
 * SITES SECONDS N…} does the same at a rate at which all spans can be delivered. {@code heap FOLDER
 * MILLIONS} prints the live heap at ten points of so many million calls.
 */
final class GrowthOfCalls {

  static final int POINTS = 10;
  private static final int BLOCK = 10_000;

  /** A number of calls, not seconds: the compilers must be done, however busy the machine is. */
  private static final int WARM_UP = 4_000_000;

  private static final int WARM_UP_OF_SITE = 16_000;

  /** For all threads together: far less than a process delivers. */
  private static final int DELIVERED_A_SECOND = 40_000;

  /** More than the export thread needs for a full queue. */
  private static final int DRAIN_SECONDS = 4;

  /** The calls of a thread in a row, so that all have caches as warm. */
  private static final int BURST = 400;

  private GrowthOfCalls() {}

  public static void main(String[] arguments)
      throws IOException, ReflectiveOperationException, InterruptedException, ExecutionException {
    Path folder = Path.of(arguments[1]);
    if (arguments[0].equals("heap")) {
      heap(sites(folder, 1), 1_000_000L * Integer.parseInt(arguments[2]));
      return;
    }
    List<Class<?>> sites = sites(folder, Integer.parseInt(arguments[2]));
    int seconds = Integer.parseInt(arguments[3]);
    new Caller(sites).call(WARM_UP + (long) WARM_UP_OF_SITE * sites.size());
    if (arguments[0].equals("delivered")) {
      TimeUnit.SECONDS.sleep(DRAIN_SECONDS);
    }
    for (String threads : List.of(arguments).subList(4, arguments.length)) {
      System.out.println(
          arguments[0]
              + threads
              + "="
              + nanosOfCall(
                  sites, Integer.parseInt(threads), seconds, arguments[0].equals("delivered")));
    }
  }

  private static List<Class<?>> sites(Path folder, int count) throws IOException {
    GeneratedClass generated = GeneratedClass.read(folder);
    GeneratedClass.Loader loader = new GeneratedClass.Loader();
    List<Class<?>> sites = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sites.add(loader.define(i, generated.bytes(i)));
    }
    return sites;
  }

  /** Processor time, since with more threads than cores each thread waits for its turn. */
  private static double nanosOfCall(
      List<Class<?>> sites, int threads, int seconds, boolean delivered)
      throws InterruptedException, ExecutionException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch ready = new CountDownLatch(threads);
    List<Future<Double>> each = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      each.add(
          pool.submit(
              () -> {
                Caller caller = new Caller(sites);
                ready.countDown();
                ready.await();
                return delivered ? caller.callInBursts(seconds, threads) : caller.callFor(seconds);
              }));
    }
    double sum = 0;
    for (Future<Double> one : each) {
      sum += one.get();
    }
    pool.shutdown();
    return sum / threads;
  }

  private static void heap(List<Class<?>> sites, long calls) throws ReflectiveOperationException {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    Caller caller = new Caller(sites);
    caller.call(calls / POINTS / 10);
    for (int point = 1; point <= POINTS; point++) {
      caller.call(calls / POINTS);
      memory.gc();
      System.out.println("kib" + point + "=" + memory.getHeapMemoryUsage().getUsed() / 1024);
    }
    System.out.println("sum=" + caller.sum % 2);
  }

  /** The objects of one thread. Counting in them is not part of the measurement. */
  private static final class Caller {

    private final Payloads payloads = new Payloads();
    private final List<ToIntFunction<Map<String, Object>>> sites = new ArrayList<>();
    private int next;
    private int sum; // so that no call is left out

    @SuppressWarnings("unchecked") // what they were compiled as
    Caller(List<Class<?>> classes) throws ReflectiveOperationException {
      for (Class<?> site : classes) {
        sites.add((ToIntFunction<Map<String, Object>>) site.getConstructor().newInstance());
      }
    }

    double callFor(int seconds) {
      long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      long startNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      long calls = 0;
      for (; System.nanoTime() - endNanos < 0; calls += BLOCK) {
        call(BLOCK);
      }
      return (double) (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startNanos)
          / calls;
    }

    /** The bursts of all threads begin at the same times, so that the threads call at once. */
    double callInBursts(int seconds, int threads) {
      long everyNanos = TimeUnit.SECONDS.toNanos(threads) * BURST / DELIVERED_A_SECOND;
      long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      long nanos = 0;
      long calls = 0;
      for (; System.nanoTime() - endNanos < 0; calls += BURST) {
        LockSupport.parkNanos(everyNanos - System.nanoTime() % everyNanos);
        long startNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        call(BURST);
        nanos += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startNanos;
      }
      return (double) nanos / calls;
    }

    void call(long calls) {
      for (long i = 0; i < calls; i++) {
        next = next + 1 < sites.size() ? next + 1 : 0;
        sum += sites.get(next).applyAsInt(payloads.next());
      }
    }
  }
}
