package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What a command can do, once it runs, to take little of the machine: the user starts it with
 * {@code java -jar}, without options for the JVM. Only for a JVM of our own, never an
 * application's.
 *
 * <p>Nothing depends on it: on another JVM than HotSpot it has no effect.
 */
final class SmallJvm {

  /**
   * The second compiler takes seconds for the methods of gRPC and Netty, which run a few times for
   * each request; what the first makes of them does. It is our translation of each span that
   * counts.
   */
  private static final String DIRECTIVES =
      "[{match: [\"io/grpc/*.*\", \"io/netty/*.*\"], c2: {Exclude: true}}]";

  /** Of a heap: smaller ones are marked all the time. */
  private static final long LEAST_BYTES = 48 << 20;

  private static final long PAUSE_MILLIS = 50;

  /** What the collections asked for may take of the time: a fifth, where all are needed. */
  private static final int PAUSES_FOR_EACH = 4;

  /** After so much work the compilers have left some memory. */
  private static final long COMPILED_MILLIS = 300;

  /** After the last cut. */
  private long heapBytes = LEAST_BYTES;

  /** The compilers' time at the last trim. */
  private long trimmedMillis;

  /** Settles the JVM, then keeps its heap small until the latch is open. */
  void settleUntil(CountDownLatch end) throws InterruptedException {
    try {
      compileLess();
      cutHeap();
    } catch (IOException | JMException | RuntimeException | LinkageError e) {
      end.await(); // it runs as well, but takes more
      return;
    }
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    long pauseMillis = PAUSE_MILLIS;
    while (!end.await(pauseMillis, TimeUnit.MILLISECONDS)) {
      pauseMillis = PAUSE_MILLIS;
      // What was alive when it was cut keeps it as large as it was then, and is left in peace.
      if (Runtime.getRuntime().totalMemory() > Math.max(heapBytes, LEAST_BYTES) * 5 / 4) {
        long startNanos = System.nanoTime();
        cutHeap();
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        pauseMillis = Math.max(PAUSE_MILLIS, PAUSES_FOR_EACH * tookMillis);
      }
      if (compilers.getTotalCompilationTime() > trimmedMillis + COMPILED_MILLIS) {
        trimmedMillis = compilers.getTotalCompilationTime();
        trim();
      }
    }
  }

  /**
   * A heap begins as a sixty-fourth of the machine's memory and is used up before anything is
   * collected, and it is doubled, and more, where the collector thinks that it is short. It is cut
   * down to what is alive and a third as much again.
   */
  private void cutHeap() {
    HotSpotDiagnosticMXBean hotSpot =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    Runtime jvm = Runtime.getRuntime();
    // More than what is alive; a collection that is only to tell would cost as much.
    long used = Math.min(jvm.totalMemory() - jvm.freeMemory(), LEAST_BYTES);
    long wanted = Math.max(LEAST_BYTES, used + used / 3);
    hotSpot.setVMOption("MinHeapFreeRatio", "20");
    hotSpot.setVMOption("MaxHeapFreeRatio", Long.toString(100 - 100 * used / wanted));
    System.gc();
    heapBytes = jvm.totalMemory();
  }

  private static void compileLess() throws IOException, JMException {
    Path file = Files.createTempFile("roll-otel-", ".json");
    try {
      Files.write(file, DIRECTIVES.getBytes(US_ASCII));
      command(
          "compilerDirectivesAdd",
          new Object[] {new String[] {file.toString()}},
          new String[] {String[].class.getName()});
    } finally {
      Files.delete(file);
    }
  }

  /** What the compilers have used and freed, tens of MiB, is otherwise kept by the C library. */
  private static void trim() {
    try {
      command("systemTrimNativeHeap", new Object[0], new String[0]);
    } catch (JMException | RuntimeException e) {
      // a JVM for another C library than glibc has no such command
    }
  }

  private static void command(String name, Object[] arguments, String[] types) throws JMException {
    Object unused =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                name,
                arguments,
                types);
  }
}
