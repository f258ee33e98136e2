package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * For each name, the mean of its durations in each process, in some of the steps that have any.
 *
 * <p>Up to {@link #STEPS} steps are kept for a name. A number made from a step's ids chooses them,
 * so that the parts of a run choose the same ones in any order, and processes can be compared
 * within a step.
 */
final class WorkerMeans implements Serializable {

  /** More of them would show smaller differences, at the price of memory. */
  static final int STEPS = 100;

  /** The processes that have spans of one name in one step, in the order of their numbers. */
  static final class OfStep implements Serializable {
    private int[] processes = new int[2];
    private long[] nanos = new long[2];
    private int[] counts = new int[2];
    private int size;

    private void add(int process, long durationNanos) {
      int found = Arrays.binarySearch(processes, 0, size, process);
      int at = found < 0 ? -1 - found : found;
      if (found < 0) {
        insert(at, process);
      }
      nanos[at] += durationNanos;
      counts[at]++;
    }

    private void insert(int at, int process) {
      if (size == processes.length) {
        processes = Arrays.copyOf(processes, 2 * size);
        nanos = Arrays.copyOf(nanos, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      System.arraycopy(processes, at, processes, at + 1, size - at);
      System.arraycopy(nanos, at, nanos, at + 1, size - at);
      System.arraycopy(counts, at, counts, at + 1, size - at);
      processes[at] = process;
      nanos[at] = 0;
      counts[at] = 0;
      size++;
    }

    /** No spans will follow. */
    private void end() {
      for (int i = 0; i < size; i++) {
        nanos[i] /= counts[i];
      }
      processes = Arrays.copyOf(processes, size);
      nanos = Arrays.copyOf(nanos, size);
      counts = Arrays.copyOf(counts, size);
    }

    int size() {
      return size;
    }

    int process(int i) {
      return processes[i];
    }

    long meanNanos(int i) {
      return nanos[i];
    }

    /** How many spans it is the mean of. */
    int spans(int i) {
      return counts[i];
    }
  }

  /** The steps of a name by the number that chooses them. */
  private static final class OfName implements Serializable {
    private final TreeMap<Long, OfStep> steps = new TreeMap<>();

    /** That of the span that was added last; null if its step is not kept. */
    private transient @Nullable OfStep last;

    private transient long lastLot;
    private transient boolean isFirst = true;

    /** Most spans of a name follow another one of their step. */
    @Nullable OfStep of(long lot) {
      if (isFirst || lot != lastLot) {
        isFirst = false;
        lastLot = lot;
        // One that was not among the first once will not be later, so none is counted in part.
        boolean isKept = steps.size() < STEPS || lot <= steps.lastKey();
        last = isKept ? steps.computeIfAbsent(lot, none -> new OfStep()) : null;
        cut();
      }
      return last;
    }

    void cut() {
      while (steps.size() > STEPS) {
        steps.pollLastEntry();
      }
    }
  }

  private final Map<Integer, OfName> byName = new HashMap<>();

  // Of the span that was added last.
  private int lastTrace = -1;
  private long traceId;

  /** Adds a span. Those of a step need not follow each other; those of a trace should. */
  void add(Spans spans, StepUnits units, int span) {
    OfStep step =
        byName.computeIfAbsent(spans.name(span), name -> new OfName()).of(lot(spans, units, span));
    if (step != null) {
      step.add(spans.process(span), spans.nanos(span));
    }
  }

  /** The same in every part of the run; a virtual step may have no id. */
  private long lot(Spans spans, StepUnits units, int span) {
    if (spans.trace(span) != lastTrace) {
      lastTrace = spans.trace(span);
      traceId = HexIds.toLong(spans.traceId(lastTrace), 16);
    }
    int unit = units.of(span);
    return mixed(mixed(traceId) + (unit < 0 ? 0 : spans.id(unit)));
  }

  /** The finalizer of SplittableRandom. */
  private static long mixed(long id) {
    long z = id + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** All spans of these traces were added. */
  void end() {
    byName.values().forEach(name -> name.steps.values().forEach(OfStep::end));
  }

  /** Adds those of other traces. */
  void add(WorkerMeans part) {
    part.byName.forEach(
        (name, ofPart) -> {
          OfName all = byName.computeIfAbsent(name, none -> new OfName());
          all.steps.putAll(ofPart.steps);
          all.cut();
        });
  }

  /** The steps of a name, in an order that says nothing. */
  Collection<OfStep> of(int name) {
    OfName found = byName.get(name);
    return found == null ? List.of() : found.steps.values();
  }
}
