package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.span.Thinning;
import io.rollotel.traces.file.RunBytes;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Thins out the traces that begin here while the run's files grow towards their limit, and reports
 * which methods make most spans. For the export thread.
 */
final class RunLimit {

  /** Names that come later are not reported. */
  private static final int MOST_NAMES = 1_000;

  /** The usual size of a span as a part of its line. */
  private static final long SPAN_BYTES = 600;

  /** Of the limit. */
  private static final int SPARE_SHARE = 8;

  /** From here on, one new trace in a million is recorded. */
  private static final int HARDLY_ANY_HALVINGS = 20;

  /** A shorter call among so many similar ones is not worth a span. */
  private static final long SHORT_NANOS = 100_000;

  private static final class Name {
    private final String text;
    private long spans;
    private long nanos;

    private Name(String text) {
      this.text = text;
    }
  }

  private final Thinning thinning;
  private final Map<String, Name> names = new HashMap<>();
  private long spans;
  private boolean hasWarned;

  RunLimit(Thinning thinning) {
    this.thinning = thinning;
  }

  /** Counts spans on their way out, each once. */
  void count(Collection<SpanData> batch) {
    spans += batch.size();
    Name last = null;
    for (SpanData span : batch) {
      String text = span.getName();
      Name name = last != null && last.text.equals(text) ? last : names.get(text);
      if (name == null && names.size() < MOST_NAMES) {
        name = new Name(text);
        names.put(text, name);
      }
      if (name != null) {
        name.spans++;
        name.nanos += Math.max(0, span.getEndEpochNanos() - span.getStartEpochNanos());
        last = name;
      }
    }
  }

  /** How many are known. */
  int names() {
    return names.size();
  }

  /**
   * Follows the size of the files.
   *
   * @param waitingSpans spans that will be written soon
   */
  void follow(RunBytes runBytes, int waitingSpans) {
    long waitingBytes = SPAN_BYTES * waitingSpans;
    int before = thinning.halvings();
    int halvings = runBytes.halvings(waitingBytes);
    if (halvings < before) {
      // The queue's length varies, so this switches back only if there is ample room.
      long spareBytes = runBytes.limitBytes() / SPARE_SHARE;
      halvings = Math.min(before, runBytes.halvings(waitingBytes + spareBytes));
    }
    thinning.set(halvings);
    if (halvings > 0 && !hasWarned && thinning.hasRoots()) {
      hasWarned = true;
      warn(runBytes, halvings);
    } else if (halvings != before) {
      inform(halvings);
    }
  }

  /**
   * Logged once, and not in processes that only continue traces of others: there may be hundreds.
   */
  private void warn(RunBytes runBytes, int halvings) {
    String one = Ledger.number(1L << halvings);
    String taken =
        halvings < HARDLY_ANY_HALVINGS
            ? "one new trace in " + one + " is recorded, and stands for " + one + " in reports"
            : "hardly any new trace is recorded, since there is no room";
    AgentLog.warn(
        "this run's files approach their limit of "
            + RunBytes.size(runBytes.limitBytes())
            + " (ROLL_OTEL_RUN_BYTES sets it): from now on "
            + taken
            + mostSpans());
  }

  private void inform(int halvings) {
    String taken =
        halvings == 0
            ? "all traces that begin here are taken"
            : "one trace in " + Ledger.number(1L << halvings) + " that begins here is taken";
    AgentLog.info(
        "ROLL_OTEL_RUN_BYTES: from now on " + taken + (thinning.hasRoots() ? "" : mostSpans()));
  }

  private String mostSpans() {
    Name most = null;
    for (Name name : names.values()) {
      most = most == null || name.spans > most.spans ? name : most;
    }
    if (most == null) {
      return "";
    }
    long meanNanos = most.nanos / most.spans;
    boolean isMost = most.spans > spans / 2;
    return String.format(
        Locale.ROOT,
        "; %s makes %.0f %% of this process's spans, %s each%s",
        most.text,
        100.0 * most.spans / spans,
        time(meanNanos),
        isMost && meanNanos < SHORT_NANOS ? ": do not trace it" : "");
  }

  private static String time(long nanos) {
    if (nanos < 1_000) {
      return nanos + " ns";
    }
    return nanos < 1_000_000
        ? nanos / 1_000 + " µs"
        : String.format(Locale.ROOT, "%.3f s", nanos / 1e9);
  }
}
