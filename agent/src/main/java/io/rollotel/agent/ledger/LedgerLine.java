package io.rollotel.agent.ledger;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.settings.Settings;
import java.util.Locale;

/** The ledger in one line. Loaded when the line is written, which a good run does without. */
final class LedgerLine {

  private LedgerLine() {}

  /** What became of the spans, in one line. */
  static String spans(Ledger ledger) {
    StringBuilder line = new StringBuilder();
    line.append(Ledger.number(ledger.exported.sum())).append(" spans exported, ");
    line.append(Ledger.number(ledger.dropped.sum())).append(" dropped");
    if (ledger.kept.sum() > 0) {
      line.append(", ").append(Ledger.number(ledger.kept.sum())).append(" kept in its own file");
    }
    if (ledger.replayed.sum() > 0) {
      line.append(", ")
          .append(Ledger.number(ledger.replayed.sum()))
          .append(" sent from such files");
    }
    if (ledger.refused.sum() > 0) {
      line.append(", ").append(Ledger.number(ledger.refused.sum())).append(" refused and kept");
    }
    if (ledger.rejected.sum() > 0) {
      line.append(", ")
          .append(Ledger.number(ledger.rejected.sum()))
          .append(" of the exported rejected");
    }
    if (ledger.replayFailures.sum() > 0) {
      line.append(", ").append(Ledger.number(ledger.replayFailures.sum()));
      line.append(ledger.replayFailures.sum() == 1 ? " failure" : " failures")
          .append(" of the replay");
    }
    long failures = TraceHook.failures() - ledger.failuresBefore;
    if (failures > 0) {
      line.append(", ").append(Ledger.number(failures));
      line.append(failures == 1 ? " failure" : " failures");
      line.append(" inside tracing (each may have cost a span)");
    }
    boolean isThinned = ledger.thinnedOut.sum() > 0;
    if (isThinned) {
      line.append(", ").append(Ledger.number(ledger.thinnedOut.sum()));
      line.append(" traces thinned out (ROLL_OTEL_RUN_BYTES)");
    }
    if (ledger.sampledOut.sum() > 0) {
      line.append(", ").append(Ledger.number(ledger.sampledOut.sum()));
      line.append(" sampled out (OTEL_TRACES_SAMPLER, or the sender's");
      line.append(isThinned ? ", or in a trace thinned out)" : ")");
    }
    if (ledger.others) {
      line.append("; worker spans go to another's SDK, whose exporters the agent does not see");
    }
    return line.toString();
  }

  /** The most likely reason for having no spans, in one line. */
  static String view(Ledger ledger, Settings settings) {
    long woven = ledger.methods().stream().filter(Ledger.Entry::isWoven).count();
    long called = ledger.methods().stream().filter(Ledger.Entry::isCalled).count();
    long missing = ledger.methods().stream().mapToLong(Ledger.Entry::withoutContext).sum();
    StringBuilder line = new StringBuilder();
    line.append("methods woven: ").append(Ledger.number(woven));
    line.append(", called: ").append(Ledger.number(called));
    if (missing > 0) {
      line.append(", calls suppressed because their payload brought no context: ");
      line.append(Ledger.number(missing)).append(" (").append(Ledger.CURE).append(')');
    }
    line.append("; ").append(spans(ledger));
    line.append("; role ").append(settings.role().name().toLowerCase(Locale.ROOT));
    if (!ledger.destination.isEmpty()) {
      line.append(", spans go to ").append(ledger.destination);
    }
    if (!ledger.trouble.isEmpty()) {
      line.append("; last problem: ").append(ledger.trouble);
    }
    return line.toString();
  }
}
