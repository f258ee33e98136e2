package io.rollotel.agent.api;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.background.Pinning;
import io.rollotel.agent.background.StackRoom;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.ExitReport;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.profile.Profile;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.MethodList;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends tracing: with the JVM, when user code asks for it, or when the agent is detached. In this
 * order: the application's shutdown hooks, which may still be traced; tasks that still record
 * spans; export; the collector; the exit report.
 */
public final class Shutdown implements Runnable {

  /** Added to the exit timeout: the collector takes up to twelve seconds to compress its files. */
  private static final long LAST_PATIENCE_MILLIS = 20_000;

  /**
   * How long the application's shutdown hooks may take until tracing ends beside them. Kubernetes
   * kills a process after 30 seconds, and the end itself may take up to 14: the last export, and
   * compressing the collector's files.
   */
  private static final long HOOKS_PATIENCE_MILLIS = 15_000;

  private final @Nullable Instrumentation instrumentation;
  private final CurrentSettings settings;
  private final SharedParts shared;
  private final TracingCopies tracings;
  private final ExitReport report;
  private final ExitTasks tasks = new ExitTasks();

  // Guarded by this.
  private @Nullable Thread exitHook;
  private @Nullable ApplicationHooks hooks;
  private boolean tooLate;

  /**
   * Registers nothing yet.
   *
   * @param instrumentation null to end beside the application's shutdown hooks
   */
  public Shutdown(
      @Nullable Instrumentation instrumentation,
      CurrentSettings settings,
      SharedParts shared,
      TracingCopies tracings,
      ExitReport report) {
    this.instrumentation = instrumentation;
    this.settings = settings;
    this.shared = shared;
    this.tracings = tracings;
    this.report = report;
  }

  /**
   * Whether tracing may start: not while the JVM is shutting down. Takes a lock, so do not call it
   * while a class is being loaded.
   */
  public synchronized boolean mayStart() {
    if (exitHook == null && !tooLate) {
      StackRoom.require();
      try {
        Thread hook = AgentThreads.make("roll-otel-exit", this);
        hook.setDaemon(true); // the application's hooks may wait for all other threads
        Runtime.getRuntime().addShutdownHook(hook);
        exitHook = hook;
        if (instrumentation != null) {
          Pinning.use(instrumentation);
          hooks = ApplicationHooks.find(instrumentation);
        }
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
    awaitHooks();
    end(LAST_PATIENCE_MILLIS);
  }

  private void awaitHooks() {
    ApplicationHooks others;
    synchronized (this) {
      others = hooks;
    }
    if (others == null) {
      return;
    }
    try {
      if (others.areRunning()) {
        // A hook may halt the JVM.
        tracings.present().forEach(tracing -> tracing.flush(0));
        others.await(HOOKS_PATIENCE_MILLIS);
      }
    } catch (RuntimeException | Error e) {
      TraceHook.failed(e); // the heap may be full: go on beside them
    }
  }

  /**
   * Ends tracing on a daemon thread and waits for it, for the exit timeout and this patience at
   * most. An exit task of the application, a disk, or a thread that died holding a lock could block
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
    join(last, settings.get().exitTimeoutMillis() + patienceMillis);
    if (last.isAlive()) {
      AgentLog.warn("tracing did not shut down in time; the JVM exits without waiting for it");
    }
  }

  /** Goes on waiting when interrupted: an application may interrupt all threads at exit. */
  private static void join(Thread last, long patienceMillis) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    boolean interrupted = false;
    for (long left = 1; left > 0 && last.isAlive(); left = deadlineNanos - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(last, deadlineNanos - System.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void endHere() {
    tracings.end(); // from now on no copy can be opened
    flush(true);
    try {
      report.run();
    } catch (RuntimeException | Error e) { // the agent's jar may have been overwritten meanwhile
      TraceHook.failed(e);
    }
  }

  /**
   * Shuts tracing down for user code. The exit timeout bounds the export of spans; exit tasks,
   * metrics and the collector may take longer.
   */
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
    withRecorder(Recorder::discard);
    closeProfile();
    synchronized (this) {
      if (exitHook != null) {
        try {
          Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException shuttingDown) {
          // It has run or is about to run: running twice does no harm.
        }
        exitHook = null;
      }
      hooks = null;
    }
    tracings.present().forEach(Tracing::detach);
  }

  /** One list serves all JVMs of a job, so in each of them some entries match nothing. */
  private static void sayUnmatched(MethodList methods) {
    if (methods.isEmpty()) {
      return; // streams would be loaded for nothing
    }
    methods.undeclared().forEach(AgentLog::warn);
    methods.notLoaded().ifPresent(methods.isAnyMatched() ? AgentLog::info : AgentLog::warn);
  }

  private void flush(boolean atExit) {
    tasks.run();
    if (atExit) {
      withRecorder(Recorder::startsNoMore);
      sayUnmatched(settings.get().methods());
    }
    long deadlineNanos = System.nanoTime() + settings.get().exitTimeoutMillis() * 1_000_000;
    for (Tracing tracing : tracings.present()) {
      try {
        tracing.close(deadlineNanos, atExit);
      } catch (RuntimeException | Error e) {
        TraceHook.failed(e); // the following parts are still closed
      }
    }
    if (atExit) {
      withRecorder(Recorder::close); // not when user code ends tracing: open spans may still end
      closeProfile();
    }
    SharedParts.Parts made = shared.made();
    if (made != null) {
      try {
        made.rendezvous().close();
      } catch (RuntimeException | Error e) {
        AgentLog.warn("the collector did not stop cleanly: " + e);
      }
    }
  }

  private void withRecorder(Consumer<Recorder> how) {
    SharedParts.Parts made = shared.made();
    if (made != null) {
      try {
        how.accept(made.recorder());
      } catch (RuntimeException | Error e) {
        AgentLog.warn("the recorder did not close cleanly: " + e);
      }
    }
  }

  /** With the process or with tracing: work after {@link #byUser} may have spans again. */
  private void closeProfile() {
    SharedParts.Parts made = shared.made();
    Profile profile = made == null ? null : made.profile();
    if (profile != null) {
      try {
        profile.close();
      } catch (RuntimeException | Error e) { // the heap may be full
        AgentLog.warn("the profile did not close cleanly: " + e);
      }
    }
  }
}
