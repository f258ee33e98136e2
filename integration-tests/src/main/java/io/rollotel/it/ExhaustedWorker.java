package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes traced calls, fills the heap, makes some more, keeps it full for a time, frees it, and
 * makes the last ones. Takes how many to make before, and how many KiB are left free for those
 * within; with 0 the heap is full to its last bytes.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class ExhaustedWorker {

  private static final int CALLS = 20;
  private static final int LARGEST_BYTES = 1 << 20;
  private static final long FULL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static Object @Nullable [] hoard;
  private static byte @Nullable [] reserve;
  private static int calls;

  private ExhaustedWorker() {}

  /** Returns, after which the JVM is to end. */
  public static void main(String[] arguments) {
    for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
      work();
    }
    reserve = new byte[Integer.parseInt(arguments[1]) << 10];
    long startNanos = System.nanoTime();
    fill();
    reserve = null;
    for (int i = 0; i < CALLS; i++) {
      try {
        work();
      } catch (OutOfMemoryError asExpected) {
        // Like any allocation of the program here.
      }
    }
    while (System.nanoTime() - startNanos < FULL_NANOS) {
      fill(); // also what others have freed meanwhile
    }
    hoard = null;
    for (int i = 0; i < CALLS; i++) {
      after();
    }
    System.out.println("= freed after " + calls);
  }

  private static void fill() {
    for (int bytes = LARGEST_BYTES; bytes >= 16; ) {
      try {
        hoard = new Object[] {hoard, new byte[bytes]};
      } catch (OutOfMemoryError full) {
        bytes /= 2;
      }
    }
  }

  @Register(trace = true)
  private static void work() {
    calls++;
  }

  @Register(trace = true)
  private static void after() {
    calls++;
  }
}
