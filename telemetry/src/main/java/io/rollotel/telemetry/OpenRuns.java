package io.rollotel.telemetry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open runs of a {@link RunTelemetry}, by their ids. An id is taken before its span starts: a
 * span that lost a race could not be taken back.
 */
final class OpenRuns {

  /**
   * How long a thread waits for another one that starts the same id. The first start of all may
   * take 15 seconds, on a host that is overloaded.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final RunTelemetry owner;
  private final int most;

  /** In the order of their starts. Guarded by this. */
  private final LinkedHashMap<String, Run> runs = new LinkedHashMap<>();

  /** A thread that starts a run, and what others wait for. */
  private record Start(Thread thread, CountDownLatch done) {}

  /** The ids whose spans are being started. Guarded by this. */
  private final Map<String, Start> starting = new HashMap<>();

  /** The JVM is ending, and nobody would close another run. Guarded by this. */
  private boolean ended;

  OpenRuns(RunTelemetry owner, int most) {
    this.owner = owner;
    this.most = most;
  }

  /**
   * Starts a run, or gives the open one with this id. If several threads start one id at once, the
   * first wins.
   *
   * @param start starts the span
   */
  Run start(String id, Supplier<Run> start) {
    Start mine = new Start(Thread.currentThread(), new CountDownLatch(1));
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      Run earlier;
      Start others = null;
      synchronized (this) {
        earlier = runs.get(id);
        if (earlier == null) {
          if (ended || (isEmpty() && !RunsAtExit.add(owner))) {
            return Run.none(owner, id);
          }
          others = starting.putIfAbsent(id, mine);
        }
      }
      if (earlier == null && others == null) {
        return startNow(id, start, mine);
      }
      if (earlier != null || !await(others, deadlineNanos)) {
        owner.misuse().count(MisuseCounts.Kind.STARTED_TWICE);
        return earlier == null ? Run.none(owner, id) : earlier;
      }
    }
  }

  private Run startNow(String id, Supplier<Run> start, Start mine) {
    try {
      Run started = start.get();
      return started.isRecorded() ? opened(started) : started;
    } finally {
      synchronized (this) {
        starting.remove(id);
        settle();
      }
      mine.done.countDown();
    }
  }

  private Run opened(Run started) {
    Run evicted = null;
    boolean isTooLate;
    synchronized (this) {
      isTooLate = ended;
      if (!isTooLate) {
        runs.put(started.id(), started);
      }
      if (runs.size() > most) {
        Iterator<Run> oldest = runs.values().iterator();
        evicted = oldest.next();
        oldest.remove(); // here, otherwise two threads would take the same one
      }
    }
    started.counted();
    if (isTooLate) {
      started.closeUnended();
    }
    if (evicted != null) {
      owner.misuse().count(MisuseCounts.Kind.TOO_MANY_RUNS);
      evicted.closeUnended();
    }
    return started;
  }

  /**
   * Goes on waiting when interrupted, since that is not meant for us. False after the deadline, and
   * at once for a start within a start.
   */
  private static boolean await(@Nullable Start others, long deadlineNanos) {
    if (others != null && others.thread == Thread.currentThread()) {
      return false;
    }
    boolean interrupted = false;
    try {
      while (others != null) {
        try {
          return others.done.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  synchronized @Nullable Run find(String id) {
    return runs.get(id);
  }

  synchronized List<Run> all() {
    return new ArrayList<>(runs.values());
  }

  synchronized int size() {
    return runs.size();
  }

  /** The run has ended. */
  synchronized void forget(Run run) {
    if (runs.remove(run.id(), run)) {
      settle();
    }
  }

  /** No run is started any more: nobody would close it. */
  synchronized void end() {
    ended = true;
  }

  private boolean isEmpty() {
    return runs.isEmpty() && starting.isEmpty();
  }

  private void settle() {
    if (isEmpty()) {
      RunsAtExit.remove(owner);
    }
  }
}
