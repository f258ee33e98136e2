package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.StderrLog;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts wrong calls to a {@link RunTelemetry} by kind. Each kind is logged once in this JVM. */
final class MisuseCounts {

  enum Kind {
    NO_RUN_ID("a run without an id is not recorded"),
    STARTED_TWICE("a run that is already open was started again; the open one continues"),
    UNKNOWN_RUN("a step or an end for a run that is not open was ignored"),
    ENDED_TWICE("a run was ended twice; the first end counts"),
    STEP_AFTER_END("a step was changed after its end; the change was ignored"),
    TOTALS_AFTER_END("the totals of a run were set after its end; the call was ignored"),
    STEP_LEFT_OPEN("a step was still open when its run ended; close it in a try-with-resources"),
    OTHER_THREAD("a step or a scope was closed on another thread than the one that opened it"),
    NOT_A_NUMBER("a reward that is not a finite number was left out"),
    TOO_MANY_RUNS("too many runs are open; the oldest was closed with what is known of it"),
    TOO_MANY_STEPS("too many steps or scopes of a run are open; the oldest was closed"),
    FAILED("OpenTelemetry failed; the run continues");

    private final String line;

    Kind(String line) {
      this.line = line;
    }
  }

  private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

  /** Tracing has ended, and the program cannot know. */
  private volatile boolean silent;

  /** What was logged. A program may build a RunTelemetry for each of its runs. */
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  void count(Kind kind) {
    count(kind, "");
  }

  /** Logs only the class: the message may contain data of the run. */
  void failed(Throwable thrown) {
    count(Kind.FAILED, ": " + thrown.getClass().getName());
  }

  void leftOpen(int step, String runId) {
    count(Kind.STEP_LEFT_OPEN, ": step " + step + " of run " + Excerpt.of(runId, 100));
  }

  private void count(Kind kind, String more) {
    counts.computeIfAbsent(kind, k -> new LongAdder()).increment();
    if (!silent && isFirst(kind.name())) {
      StderrLog.warn("runs: " + kind.line + more + " (logged once)");
    }
  }

  /** Whether nothing of this kind has been logged in this JVM; from now on something has. */
  static boolean isFirst(String kind) {
    return LOGGED.add(kind);
  }

  /** Each test is a program of its own. */
  static void resetForTest() {
    LOGGED.clear();
  }

  /** Logs nothing more. */
  void silence() {
    silent = true;
  }

  long count(Kind kind, long otherwise) {
    LongAdder count = counts.get(kind);
    return count == null ? otherwise : count.sum();
  }

  long total() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** {@code ignored or corrected: 2 unknown run, 1 not a number}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Kind kind : Kind.values()) {
      long count = count(kind, 0);
      if (count > 0) {
        text.append(text.isEmpty() ? "ignored or corrected: " : ", ").append(count).append(' ');
        text.append(kind.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      }
    }
    return text.toString();
  }
}
