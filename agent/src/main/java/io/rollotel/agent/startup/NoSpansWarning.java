package io.rollotel.agent.startup;

import io.rollotel.agent.api.Shutdown;
import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.CurrentSettings;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Warns after the first minute if no span has been exported. Its thread begins with the first
 * annotated class and ends with the minute.
 */
final class NoSpansWarning implements Runnable, LongSupplier {

  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Ledger ledger;
  private final CurrentSettings settings;
  private final Shutdown shutdown;

  // Of the thread.
  private long bornNanos;
  private boolean born;

  private volatile @Nullable BackgroundTask task;

  NoSpansWarning(Ledger ledger, CurrentSettings settings, Shutdown shutdown) {
    this.ledger = ledger;
    this.settings = settings;
    this.shutdown = shutdown;
  }

  /** May be called during class loading: takes no lock, and never waits. */
  @Override
  public void run() {
    try {
      task = BackgroundTask.start("roll-otel-minute", this);
    } catch (Throwable noThreadLeft) {
      // The class is traced all the same.
    }
  }

  void end() {
    BackgroundTask running = task;
    if (running != null) {
      running.stop();
    }
  }

  @Override
  public long getAsLong() {
    return round(System.nanoTime());
  }

  /** How long to wait for the next; below 0 to end. */
  long round(long nowNanos) {
    if (!born) {
      born = true;
      bornNanos = nowNanos;
      shutdown.mayStart(); // takes a lock, which run must not
    }
    long leftNanos = bornNanos + MINUTE_NANOS - nowNanos;
    if (leftNanos > 0) {
      return leftNanos;
    }
    if (ledger.isWithoutSpans()) {
      AgentLog.warn("no span was exported in the first minute: " + ledger.view(settings.get()));
    }
    return -1;
  }
}
