package io.rollotel.agent.api;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.ledger.ExitReport;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.CurrentSettings;
import org.jspecify.annotations.Nullable;

/**
 * The end of tracing: with the JVM, when user code asks for it, or when the agent is detached. What
 * is still to be recorded comes first, then the export, then the collector, then the report.
 */
public final class Shutdown implements Runnable {

  /** Beyond the exit time-out: the collector closes in twelve seconds, if it has files to zip. */
  private static final long LAST_PATIENCE_MILLIS = 20_000;

  private final CurrentSettings settings;
  private final SharedParts shared;
  private final TracingCopies tracings;
  private final ExitReport report;
  private final ExitTasks tasks = new ExitTasks();

  // Guarded by this.
  private @Nullable Thread exitHook;
  private boolean tooLate;

  public Shutdown(
      CurrentSettings settings, SharedParts shared, TracingCopies tracings, ExitReport report) {
    this.settings = settings;
    this.shared = shared;
    this.tracings = tracings;
    this.report = report;
  }

  /**
   * Whether there is time for tracing at all: not where the JVM is shutting down already. Takes a
   * lock: not for the loading of classes.
   */
  public synchronized boolean mayStart() {
    if (exitHook == null && !tooLate) {
      try {
        Thread hook = AgentThreads.make("roll-otel-exit", this);
        Runtime.getRuntime().addShutdownHook(hook);
        exitHook = hook;
      } catch (IllegalStateException shuttingDown) {
        tooLate = true;
      }
    }
    return exitHook != null && !tooLate;
  }

  /** See {@code TraceHook.Target.beforeExit}. */
  boolean beforeExit(Runnable work) {
    return mayStart() && tasks.add(work);
  }

  /** See {@code TraceHook.Target.notBeforeExit}. */
  void notBeforeExit(Runnable work) {
    tasks.remove(work);
  }

  /** The JVM is ending. */
  @Override
  public void run() {
    end(LAST_PATIENCE_MILLIS);
  }

  /**
   * Ends tracing on another thread, for which the JVM waits no longer than the exit time-out and
   * this: what the application runs at exit, a disk, or a thread that has died with a lock may hold
   * it for ever.
   */
  void end(long patienceMillis) {
    Thread last;
    try {
      last = AgentThreads.make("roll-otel-last", this::endHere);
      last.setDaemon(true);
      last.start();
    } catch (OutOfMemoryError noThreadLeft) {
      endHere();
      return;
    }
    try {
      last.join(settings.get().exitTimeoutMillis() + patienceMillis);
      if (last.isAlive()) {
        AgentLog.warn("tracing does not come to its end, the program ends without it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void endHere() {
    tracings.end(); // whoever opens a copy from now on is too late
    flush(true);
    report.run();
  }

  /** User code has ended tracing. Blocks for the exit time-out at most. */
  void byUser() {
    flush(false);
  }

  /** The agent is being detached: nothing starts any more, and no hook holds its classes. */
  void detach() {
    synchronized (this) {
      tooLate = true;
    }
    // A call that was in time may still be opening its copy.
    tracings.end();
    shared.end();
    flush(false);
    closeRecorder();
    synchronized (this) {
      if (exitHook != null) {
        try {
          Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException shuttingDown) {
          // It has run, or is about to: twice does no harm.
        }
        exitHook = null;
      }
    }
    tracings.present().forEach(Tracing::detach);
  }

  private void flush(boolean atExit) {
    tasks.run();
    if (atExit) {
      for (String entry : settings.get().methods().unmatched()) {
        AgentLog.warn("ROLL_OTEL_METHODS: " + entry + " has matched no method");
      }
    }
    long deadlineNanos = System.nanoTime() + settings.get().exitTimeoutMillis() * 1_000_000;
    for (Tracing tracing : tracings.present()) {
      tracing.close(deadlineNanos, atExit);
    }
    if (atExit) {
      closeRecorder();
    }
    SharedParts.Parts made = shared.made();
    if (made != null) {
      try {
        made.rendezvous().close();
      } catch (RuntimeException e) {
        AgentLog.warn("the collector did not stop cleanly: " + e);
      }
    }
  }

  /** Not when user code ends tracing: spans that are open then may still end. */
  private void closeRecorder() {
    SharedParts.Parts made = shared.made();
    if (made != null) {
      try {
        made.recorder().close();
      } catch (RuntimeException e) {
        AgentLog.warn("the recorder did not close cleanly: " + e);
      }
    }
  }
}
