package io.rollotel.agent.ledger;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.CurrentSettings;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The agent's summary when the JVM exits, and the whole ledger on request. */
public final class ExitReport implements Runnable {

  /** How long the class path's indexes may take, which are read when spans are flushed. */
  private static final long READING_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long PATIENCE_MILLIS = 500;

  private final CurrentSettings settings;
  private final Ledger ledger;

  public ExitReport(CurrentSettings settings, Ledger ledger) {
    this.settings = settings;
    this.ledger = ledger;
  }

  @Override
  public void run() {
    ledger.unindexed().find(PATIENCE_MILLIS);
    if (AgentLog.saysInfo()) {
      statement().forEach(AgentLog::info);
    } else {
      ledger.untracedClasses().forEach(AgentLog::warn); // the statement contains these lines, too
    }
    int unindexed = ledger.unindexed().count();
    if (unindexed > 1) {
      AgentLog.warn(
          Ledger.number(unindexed) + " classes were compiled without roll-otel's processor");
    }
    if (ledger.isSilent()) {
      AgentLog.warn("no call has made a span: " + ledger.view(settings.get()));
    }
  }

  /** The ledger in words: its summary, then a line for each method that is missing. */
  public List<String> statement() {
    ledger.unindexed().find(PATIENCE_MILLIS);
    try {
      return LedgerStatement.lines(
          ledger, DeclaredMethods.read(ledger.codeSources(), System.nanoTime() + READING_NANOS));
    } catch (RuntimeException | LinkageError e) {
      return List.of("the ledger cannot be read: " + e, ledger.view(settings.get()));
    }
  }
}
