package io.rollotel.traces.collector;

import java.io.File;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The run of a process. The user or a driver may set it from the start. Otherwise the first
 * received call of a run determines it; if there was none when the id is needed, it is random. Any
 * thread; takes no lock.
 */
final class RunIdentity {

  private static final int LONGEST = 128;

  private final AtomicReference<@Nullable String> decided = new AtomicReference<>();
  private final AtomicReference<@Nullable String> received = new AtomicReference<>();
  private final File outputDir;
  private final boolean isGiven;
  private final Consumer<String> warn;

  private volatile boolean isInvented;
  private volatile boolean hasWarned;

  /**
   * The run of a process, which is undetermined.
   *
   * @param isGiven whether the user gives the id to a process that cannot be the driver
   * @param warn receives a line if calls come from another run
   */
  RunIdentity(File outputDir, boolean isGiven, Consumer<String> warn) {
    this.outputDir = outputDir;
    this.isGiven = isGiven;
    this.warn = warn;
  }

  /**
   * Whether an id may travel with a call, or may have come with one: printable ASCII without
   * blanks, commas, quotes and backslashes, 128 characters at most.
   */
  static boolean mayTravel(String id) {
    if (id.isEmpty() || id.length() > LONGEST) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == ',' || c == '"' || c == '\'' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** The id; null while it is undetermined. */
  @Nullable String known() {
    return decided.get();
  }

  /** Determines the id, unless it is determined already; returns it. */
  String decide(String id) {
    String before = decided.compareAndExchange(null, id);
    return before == null ? id : before;
  }

  /**
   * Determines the id, which is needed now.
   *
   * @param drivers the id of the driver's run; null if there is no driver
   */
  String decideNow(@Nullable String drivers) {
    String others = drivers != null ? drivers : received.get();
    isInvented = others == null;
    return decide(others != null ? others : SystemRandom.hex(8));
  }

  /**
   * A call has come from this run. The first one counts. A run other than this process's is logged
   * once.
   *
   * @return whether further calls can tell more
   */
  boolean received(String callersRunId) {
    received.compareAndSet(null, callersRunId);
    String known = decided.get();
    if (known != null && !known.equals(callersRunId) && !hasWarned) {
      hasWarned = true;
      String line = "calls come from run " + callersRunId + ", but this process ";
      if (isGiven) {
        warn.accept(line + "has ROLL_OTEL_RUN_ID=" + known + ": give it the sender's");
      } else if (!isInvented) { // otherwise the report joins them into one run
        warn.accept(
            line
                + "belongs to run "
                + known
                + " in "
                + outputDir
                + ": does the sender have the same ROLL_OTEL_OUTPUT_DIR?");
      }
    }
    return !hasWarned;
  }
}
