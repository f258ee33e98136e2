package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When each process of a run was at work.
 *
 * <p>Busy time is the union of its spans, without those of steps. A process that has a step's span
 * drives the step and has no bubble.
 */
public final class Workers implements Serializable {

  /**
   * A process over the run.
   *
   * @param workNanos the union of its spans, including those of steps
   * @param lifeNanos from its first start to its last end
   * @param stepWallNanos the wall time of all steps that overlap with its life; if steps overlap
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

    /** {@code 1 − busy in steps / wall time of steps}; 0 for a driver, and without steps. */
    public double bubbleShare() {
      return isDriver || stepWallNanos == 0 ? 0 : 1 - (double) stepBusyNanos / stepWallNanos;
    }
  }

  /**
   * The workers of a run that take part in steps, together.
   *
   * @param share the share of step time in which they were idle
   * @param idlest the one with the largest share
   */
  public record Idle(int workers, double share, Worker idlest) {}

  /** When a process was at work. */
  private static final class Busy implements Serializable {
    StretchUnion stretches = new StretchUnion(new Stretches());

    /** Including the spans of steps. */
    StretchUnion work = stretches;

    long spans;
    boolean isDriver;
    long firstStart = Long.MAX_VALUE;
    long lastEnd;

    void add(Busy part) {
      if (part.isDriver && !isDriver) {
        work = new StretchUnion(stretches.get());
      }
      isDriver |= part.isDriver;
      stretches.add(part.stretches.get());
      if (isDriver) {
        work.add(part.work.get());
      }
      spans += part.spans;
      firstStart = Math.min(firstStart, part.firstStart);
      lastEnd = Math.max(lastEnd, part.lastEnd);
    }
  }

  private final Spans spans;
  private final Steps steps;
  private final Map<Integer, Busy> busy = new HashMap<>();

  /** Created on demand; null if spans were added since. */
  private transient @Nullable List<Worker> workers;

  /** None yet. */
  Workers(Spans spans, Steps steps) {
    this.spans = spans;
    this.steps = steps;
  }

  /**
   * Adds up a run.
   *
   * @param members the run's spans
   */
  Workers(Spans spans, StepUnits units, Steps steps, int[] members) {
    this(spans, steps);
    int[] byStart = members.clone();
    IndexSort.sort(byStart, (a, b) -> spans.start(a) < spans.start(b));
    Busy[] byProcess = new Busy[spans.processes().size()];
    for (int span : byStart) {
      Busy of = byProcess[spans.process(span)];
      if (of == null) {
        of = new Busy();
        byProcess[spans.process(span)] = of;
        busy.put(spans.process(span), of);
      }
      of.spans++;
      if (!spans.isTimed(span)) {
        continue;
      }
      of.firstStart = Math.min(of.firstStart, spans.start(span));
      of.lastEnd = Math.max(of.lastEnd, spans.end(span));
      boolean isStep = units.isStep(span);
      if (isStep && !of.isDriver) {
        of.isDriver = true;
        of.work = new StretchUnion(of.stretches.get().copy());
      }
      if (!isStep) {
        of.stretches.get().add(spans.start(span), spans.end(span));
      }
      if (of.isDriver) {
        of.work.get().add(spans.start(span), spans.end(span));
      }
    }
  }

  /** Adds those of a part of the run's traces. */
  void add(Workers part) {
    part.busy.forEach(
        (process, other) -> busy.computeIfAbsent(process, none -> new Busy()).add(other));
    workers = null;
  }

  private Worker worker(int number, Busy of) {
    StepTimes times = steps.times();
    boolean isTimed = of.firstStart <= of.lastEnd;
    long inSteps = 0;
    Stretches busyIn = of.stretches.get();
    for (int i = 0; i < busyIn.count(); i++) {
      inSteps += times.until(busyIn.end(i)) - times.until(busyIn.start(i));
    }
    return new Worker(
        spans.processes().get(number),
        number,
        of.isDriver,
        of.spans,
        busyIn.total(),
        of.work.get().total(),
        isTimed ? of.lastEnd - of.firstStart : 0,
        isTimed ? times.wallOverlapping(of.firstStart, of.lastEnd) : 0,
        inSteps);
  }

  /** In the order of their processes. */
  public List<Worker> all() {
    List<Worker> known = workers;
    if (known == null) {
      List<Worker> made = new ArrayList<>();
      busy.forEach((process, of) -> made.add(worker(process, of)));
      made.sort((a, b) -> TracedProcess.ORDER.compare(a.process, b.process));
      workers = made;
      known = made;
    }
    return known;
  }

  /** Null if no worker takes part in a step. */
  public @Nullable Idle idle() {
    long wallNanos = 0;
    long busyNanos = 0;
    int count = 0;
    Worker idlest = null;
    for (Worker worker : all()) {
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

  /** A worker's busy time within a period, found by bisection. */
  public long busyNanos(Worker worker, long fromEpochNanos, long toEpochNanos) {
    Stretches of = stretches(worker);
    return of.until(toEpochNanos) - of.until(fromEpochNanos);
  }

  /**
   * A worker's busy time within each of many periods; -1 where it had not begun or had ended.
   *
   * @param fromEpochNanos the starts of the periods; fastest in order
   */
  public long[] busyNanos(Worker worker, long[] fromEpochNanos, long[] toEpochNanos) {
    Busy of = busyOf(worker);
    Stretches.Walk from = of.stretches.get().new Walk();
    Stretches.Walk to = of.stretches.get().new Walk();
    long[] nanos = new long[fromEpochNanos.length];
    for (int i = 0; i < nanos.length; i++) {
      boolean isAlive = of.firstStart < toEpochNanos[i] && of.lastEnd > fromEpochNanos[i];
      nanos[i] = isAlive ? to.until(toEpochNanos[i]) - from.until(fromEpochNanos[i]) : -1;
    }
    return nanos;
  }

  /** When a worker was busy. */
  Stretches stretches(Worker worker) {
    return busyOf(worker).stretches.get();
  }

  private Busy busyOf(Worker worker) {
    return Objects.requireNonNull(busy.get(worker.processNumber));
  }

  /** Whether the worker had begun and not yet ended within the period. */
  public boolean isAlive(Worker worker, long fromEpochNanos, long toEpochNanos) {
    Busy of = busyOf(worker);
    return of.firstStart < toEpochNanos && of.lastEnd > fromEpochNanos;
  }
}
