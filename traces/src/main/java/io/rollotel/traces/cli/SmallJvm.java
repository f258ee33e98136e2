package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
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

  private static final long PAUSE_MILLIS = 100;

  /** What the collections asked for may take of the time: a tenth of one thread's. */
  private static final int PAUSES_FOR_EACH = 10;

  /**
   * What is alive keeps a heap large: after a collection in vain it is left in peace for longer.
   */
  private static final long LAST_PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(64);

  private long pauseMillis = PAUSE_MILLIS;

  /** Settles the JVM, then keeps its heap small until the latch is open. */
  void settleUntil(CountDownLatch end) throws InterruptedException {
    try {
      compileLess();
      cutHeap();
    } catch (IOException | JMException | RuntimeException | LinkageError e) {
      end.await(); // it runs as well, but takes more
      return;
    }
    while (!end.await(pauseMillis, TimeUnit.MILLISECONDS)) {
      if (!isLarge()) {
        pauseMillis = PAUSE_MILLIS;
        continue;
      }
      long startNanos = System.nanoTime();
      cutHeap();
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
      pauseMillis =
          Math.min(
              LAST_PAUSE_MILLIS,
              Math.max(isLarge() ? 2 * pauseMillis : PAUSE_MILLIS, PAUSES_FOR_EACH * tookMillis));
    }
  }

  private static boolean isLarge() {
    return Runtime.getRuntime().totalMemory() > LEAST_BYTES + LEAST_BYTES / 2;
  }

  /**
   * A heap begins as a sixty-fourth of the machine's memory and is used up before anything is
   * collected, and it is doubled, and more, where the collector thinks that it is short. It is cut
   * down to what is alive and half as much again.
   */
  private static void cutHeap() {
    HotSpotDiagnosticMXBean hotSpot =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    Runtime jvm = Runtime.getRuntime();
    // A little more than what is alive; a collection that is only to tell would cost as much.
    long alive = Math.min(jvm.totalMemory() - jvm.freeMemory(), LEAST_BYTES);
    long wanted = Math.max(LEAST_BYTES, alive + alive / 2);
    hotSpot.setVMOption("MinHeapFreeRatio", "20");
    hotSpot.setVMOption("MaxHeapFreeRatio", Long.toString(100 - 100 * alive / wanted));
    System.gc();
  }

  private static void compileLess() throws IOException, JMException {
    Path file = Files.createTempFile("roll-otel-", ".json");
    try {
      Files.write(file, DIRECTIVES.getBytes(US_ASCII));
      Object unused =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "compilerDirectivesAdd",
                  new Object[] {new String[] {file.toString()}},
                  new String[] {String[].class.getName()});
    } finally {
      Files.delete(file);
    }
  }
}
