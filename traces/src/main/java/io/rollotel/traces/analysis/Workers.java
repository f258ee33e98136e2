package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When each process of a run was at work.
 *
 * <p>Busy is the union of its spans, steps' own left out. A process that has a step's span drives
 * it and has no bubble.
 */
public final class Workers {

  /**
   * A process over the run.
   *
   * @param workNanos the union of its spans, steps' own among them
   * @param lifeNanos from its first start to its last end
   * @param stepWallNanos the wall time of all steps that overlap with its life; where steps overlap
   *     with each other, that of their union
   * @param stepBusyNanos its busy time in these
   */
  public record Worker(
      TracedProcess process,
      int processNumber,
      boolean isDriver,
      long spans,
      long busyNanos,
      long workNanos,
      long lifeNanos,
      long stepWallNanos,
      long stepBusyNanos) {

    public long idleNanos() {
      return lifeNanos - busyNanos;
    }

    /**
     * {@code 1 − busy in steps / wall time of steps}, 0 for a driver and where there is no step.
     */
    public double bubbleShare() {
      return isDriver || stepWallNanos == 0 ? 0 : 1 - (double) stepBusyNanos / stepWallNanos;
    }
  }

  /**
   * The workers of a run that take part in steps, together.
   *
   * @param share what they did nothing in, of the time of the steps
   * @param idlest the one with the largest share
   */
  public record Idle(int workers, double share, Worker idlest) {}

  private static final class Busy {
    final Stretches stretches = new Stretches();
    long firstStart = Long.MAX_VALUE;
    long lastEnd;
    long workNanos;
  }

  private final Busy[] busy;
  private final List<Worker> workers = new ArrayList<>();

  /**
   * Adds up a run.
   *
   * @param members the run's spans
   */
  Workers(Spans spans, Steps steps, int[] members) {
    int processes = spans.processes().size();
    this.busy = new Busy[processes];
    boolean[] isDriver = new boolean[processes];
    long[] count = new long[processes];
    int[] byStart = members.clone();
    IndexSort.sort(byStart, (a, b) -> spans.start(a) < spans.start(b));
    for (int span : byStart) {
      int process = spans.process(span);
      count[process]++;
      if (busy[process] == null) {
        busy[process] = new Busy();
      }
      if (!spans.isTimed(span)) {
        continue;
      }
      Busy of = busy[process];
      of.firstStart = Math.min(of.firstStart, spans.start(span));
      of.workNanos += Math.max(0, spans.end(span) - Math.max(spans.start(span), of.lastEnd));
      of.lastEnd = Math.max(of.lastEnd, spans.end(span));
      if (steps.unit(span) == span) {
        isDriver[process] = true;
      } else {
        of.stretches.add(spans.start(span), spans.end(span));
      }
    }
    for (int i = 0; i < processes; i++) {
      if (busy[i] != null) {
        workers.add(worker(spans.processes().get(i), i, isDriver[i], count[i], steps.times()));
      }
    }
    workers.sort((a, b) -> TracedProcess.ORDER.compare(a.process, b.process));
  }

  private Worker worker(
      TracedProcess process, int number, boolean isDriver, long spans, StepTimes times) {
    Busy of = busy[number];
    boolean isTimed = of.firstStart <= of.lastEnd;
    long inSteps = 0;
    for (int i = 0; i < of.stretches.count(); i++) {
      inSteps += times.until(of.stretches.end(i)) - times.until(of.stretches.start(i));
    }
    return new Worker(
        process,
        number,
        isDriver,
        spans,
        of.stretches.total(),
        of.workNanos,
        isTimed ? of.lastEnd - of.firstStart : 0,
        isTimed ? times.wallOverlapping(of.firstStart, of.lastEnd) : 0,
        inSteps);
  }

  /** In the order of their processes. */
  public List<Worker> all() {
    return workers;
  }

  /** Null where no worker takes part in a step. */
  public @Nullable Idle idle() {
    long wallNanos = 0;
    long busyNanos = 0;
    int count = 0;
    Worker idlest = null;
    for (Worker worker : workers) {
      if (!worker.isDriver() && worker.stepWallNanos() > 0) {
        count++;
        wallNanos += worker.stepWallNanos();
        busyNanos += worker.stepBusyNanos();
        if (idlest == null || worker.bubbleShare() > idlest.bubbleShare()) {
          idlest = worker;
        }
      }
    }
    return idlest == null
        ? null
        : new Idle(count, (double) (wallNanos - busyNanos) / wallNanos, idlest);
  }

  /** A worker's busy time within a stretch, found by bisection. */
  public long busyNanos(Worker worker, long fromEpochNanos, long toEpochNanos) {
    Stretches of = busy[worker.processNumber].stretches;
    return of.until(toEpochNanos) - of.until(fromEpochNanos);
  }

  /** Whether the worker had begun and not yet ended within the stretch. */
  public boolean isAlive(Worker worker, long fromEpochNanos, long toEpochNanos) {
    Busy of = busy[worker.processNumber];
    return of.firstStart < toEpochNanos && of.lastEnd > fromEpochNanos;
  }
}
