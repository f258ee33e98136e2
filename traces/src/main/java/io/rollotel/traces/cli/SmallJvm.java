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

  /** A heap that has grown beyond this is looked at again. */
  private static final long LARGE_HEAP_BYTES = 64 << 20;

  private static final long FIRST_PAUSE_SECONDS = 1;
  private static final long LAST_PAUSE_SECONDS = 64;

  private long pauseSeconds = FIRST_PAUSE_SECONDS;

  /** Settles the JVM, then keeps its heap small until the latch is open. */
  void settleUntil(CountDownLatch end) throws InterruptedException {
    try {
      compileLess();
      giveBackHeap();
    } catch (IOException | JMException | RuntimeException | LinkageError e) {
      end.await(); // it runs as well, but takes more
      return;
    }
    while (!end.await(pauseSeconds, TimeUnit.SECONDS)) {
      // It grows by slow collections as well, of which there are some while all is new, and then
      // stays: what is dead is gone at once, what is alive keeps it large and is left in peace.
      if (Runtime.getRuntime().totalMemory() > LARGE_HEAP_BYTES) {
        System.gc();
        pauseSeconds = Math.min(2 * pauseSeconds, LAST_PAUSE_SECONDS);
      }
    }
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

  /**
   * A heap begins as a sixty-fourth of the machine's memory and is used up before anything is
   * collected. It is cut down to what is alive and as much again, and grows only where that is
   * full.
   */
  private static void giveBackHeap() {
    HotSpotDiagnosticMXBean hotSpot =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    hotSpot.setVMOption("MinHeapFreeRatio", "20");
    hotSpot.setVMOption("MaxHeapFreeRatio", "50");
    System.gc();
  }
}
