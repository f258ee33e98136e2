package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * How long a test waits: as long as the event can still occur. The limit is for a test that hangs;
 * even a busy machine does not reach it.
 */
public final class Patience {

  /** The longest wait for one event. */
  public static final int MINUTES = 10;

  private static final int MILLIS_BETWEEN_LOOKS = 20;

  /** The awaited condition. */
  public interface Condition {

    /** Whether it has. */
    boolean holds() throws Exception;
  }

  private Patience() {}

  /**
   * Waits until this holds.
   *
   * @param what what is awaited and how far it has come; asked for where it does not come
   */
  public static void until(Callable<String> what, Condition condition) throws Exception {
    until(what, ProcessHandle.current(), condition);
  }

  /** Waits until this holds; fails at once when the process has ended by which it would come. */
  public static void until(Callable<String> what, ProcessHandle process, Condition condition)
      throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    while (true) {
      boolean canCome = process.isAlive(); // before the check, which may be the last
      if (condition.holds()) {
        return;
      }
      if (!canCome || System.nanoTime() - deadlineNanos >= 0) {
        fail(
            "not %s: %s",
            canCome ? "within " + MINUTES + " minutes" : "before the process ended", what.call());
      }
      Thread.sleep(MILLIS_BETWEEN_LOOKS);
    }
  }

  /** Waits for the end of a process; one that does not come is killed with its descendants. */
  public static boolean untilEnd(Process process) throws InterruptedException {
    try {
      if (process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        return true;
      }
    } finally { // and where the test is interrupted
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.toHandle().destroyForcibly(); // leaves its output to the readers
    }
    process.waitFor();
    return false;
  }
}
