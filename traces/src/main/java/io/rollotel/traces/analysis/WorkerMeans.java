package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * For each name, the mean of its durations in each process, in some of the steps that have any.
 *
 * <p>Up to {@link #STEPS} steps are kept for a name, fewer if it has many processes. A number made
 * from a step's ids chooses them, so that the parts of a run choose the same ones in any order, and
 * processes can be compared within a step.
 */
final class WorkerMeans implements Serializable {

  /** More of them would show smaller differences, at the cost of memory. */
  static final int STEPS = 100;

  /** Of a name that has many processes. Fewer steps might not show which of them got slower. */
  static final int FEWEST_STEPS = 25;

  /** Of a name, if {@link #FEWEST_STEPS} have no more. */
  private static final long MEANS = 6_400;

  /** The processes that have spans of one name in one step, in the order of their numbers. */
  static final class OfStep implements Serializable {
    private int[] processes = new int[2];
    private long[] nanos = new long[2];
    private int[] counts = new int[2];
    private int size;

    /** Whether the process is new. */
    private boolean add(int process, long durationNanos) {
      int found = Arrays.binarySearch(processes, 0, size, process);
      int at = found < 0 ? -1 - found : found;
      if (found < 0) {
        insert(at, process);
      }
      nanos[at] += durationNanos;
      counts[at]++;
      return found < 0;
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

    /** No spans will follow. Most steps have the same processes, so they share one array. */
    private void end(OfStep like) {
      for (int i = 0; i < size; i++) {
        nanos[i] /= counts[i];
      }
      processes = shared(processes, like.processes);
      nanos = Arrays.copyOf(nanos, size);
      counts = shared(counts, like.counts);
    }

    private int[] shared(int[] values, int[] like) {
      int[] copy = Arrays.copyOf(values, size);
      return Arrays.equals(copy, like) ? like : copy;
    }

    /** The same number before and after the end. */
    private int means() {
      return Math.max(size, 1);
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

  /** Stands for the spans of one process, which has no peers: nothing but the step's number. */
  private static final OfStep ALONE = new OfStep();

  /** The steps of a name by the number that chooses them: those of the smallest numbers. */
  private static final class OfName implements Serializable {
    private final TreeMap<Long, OfStep> steps = new TreeMap<>();

    /** In all of these. */
    private long means;

    /** Steps from this number on are not kept; none of them is added again in part. */
    private long firstCut = Long.MAX_VALUE;

    /** That of the span that was added last; null if its step is not kept. */
    private transient @Nullable OfStep last;

    private transient long lastLot;

    void add(long lot, int process, long nanos) {
      // Most spans of a name follow another one of their step.
      if (last == null || lot != lastLot) {
        lastLot = lot;
        last = lot < firstCut ? steps.computeIfAbsent(lot, none -> new OfStep()) : null;
      }
      if (last != null && last.add(process, nanos)) {
        means++;
        cut();
        last = lot < firstCut ? last : null;
      }
    }

    /**
     * Whether a step is cut depends on steps of smaller numbers alone, which are in no part more
     * than in the run: so a part cuts none that the run keeps.
     */
    private void cut() {
      while (isTooLarge()) {
        Map.Entry<Long, OfStep> cut = steps.pollLastEntry();
        means -= cut.getValue().means();
        firstCut = Math.min(firstCut, cut.getKey());
      }
    }

    private boolean isTooLarge() {
      int size = steps.size();
      return size > STEPS
          || (size > FEWEST_STEPS && means > MEANS)
          || (size > 0 && steps.lastKey() >= firstCut);
    }

    void add(OfName part) {
      part.steps.forEach(
          (lot, step) -> {
            steps.put(lot, step);
            means += step.means();
          });
      firstCut = Math.min(firstCut, part.firstCut);
      cut();
    }

    /** Gives the last one that has peers. */
    OfStep end(OfStep previous) {
      OfStep like = previous;
      for (Map.Entry<Long, OfStep> one : steps.entrySet()) {
        if (one.getValue().size > 1) {
          one.getValue().end(like);
          like = one.getValue();
        } else {
          one.setValue(ALONE);
        }
      }
      return like;
    }

    List<OfStep> all() {
      return steps.values().stream().filter(step -> step.size > 1).toList();
    }
  }

  private final Map<Integer, OfName> byName = new HashMap<>();

  // Of the span that was added last.
  private int lastTrace = -1;
  private long traceId;

  /** Adds a span. Those of a step need not follow each other; those of a trace should. */
  void add(Spans spans, StepUnits units, int span) {
    byName
        .computeIfAbsent(spans.name(span), name -> new OfName())
        .add(lot(spans, units, span), spans.process(span), spans.nanos(span));
  }

  /** The same in every part of the run; a virtual step may have no id. */
  private long lot(Spans spans, StepUnits units, int span) {
    if (spans.trace(span) != lastTrace) {
      lastTrace = spans.trace(span);
      traceId = HexIds.toLong(spans.traceId(lastTrace), 16);
    }
    int unit = units.of(span);
    return MixedBits.of(MixedBits.of(traceId) + (unit < 0 ? 0 : spans.id(unit)));
  }

  /** All spans of these traces were added. */
  void end() {
    OfStep like = ALONE;
    for (OfName name : byName.values()) {
      like = name.end(like);
    }
  }

  /** Adds those of other traces. */
  void add(WorkerMeans part) {
    part.byName.forEach(
        (name, ofPart) -> byName.computeIfAbsent(name, none -> new OfName()).add(ofPart));
  }

  /** The steps of a name in which several processes have spans, in an order that says nothing. */
  List<OfStep> of(int name) {
    OfName found = byName.get(name);
    return found == null ? List.of() : found.all();
  }
}
