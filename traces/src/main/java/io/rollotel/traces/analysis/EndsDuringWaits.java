package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * For each suspected wait, which spans ended during it: the nearest end of each name, and how the
 * others are spread. Takes about 200 bytes for a wait and a name, however many ends there are.
 *
 * <p>Spans above and below the one that waits are left out: it is known who of them waits for whom.
 * So is every other span with a name of theirs, since processes that do the same work at the same
 * time end together.
 */
final class EndsDuringWaits implements Serializable {

  /** Used instead of a process. */
  private static final int NOBODY = -1;

  /** An end that is the nearest one to the end of a wait, and the process of that span. */
  record Nearest(long epochNanos, int process) implements Serializable {}

  /** The ends of spans of one name during one wait, and just after it. */
  static final class Ends implements Serializable {

    /** A wait is divided into so many cells, which are equally long. */
    private static final int CELLS = 512;

    private long count;

    // Of the nearest ends; at first there is none.

    private long beforeEpochNanos = Long.MIN_VALUE;
    private int beforeProcess = NOBODY;
    private long afterEpochNanos = Long.MAX_VALUE;
    private int afterProcess = NOBODY;

    /** The cells in which one ended. */
    private final long[] ended = new long[CELLS / Long.SIZE];

    /** The cells in which one of these ran. */
    private final long[] ran = new long[CELLS / Long.SIZE];

    /** Looks at a span that ended during the wait, or after it but began before its end. */
    void see(
        Spans spans,
        SuspectedWaits.Wait wait,
        int process,
        long startEpochNanos,
        long endEpochNanos) {
      int last = cell(wait, endEpochNanos - 1);
      for (int cell = cell(wait, startEpochNanos); cell <= last; cell++) {
        set(ran, cell);
      }
      if (endEpochNanos <= wait.toEpochNanos()) {
        count++;
        set(ended, last);
        before(spans, process, endEpochNanos);
      } else {
        after(spans, process, endEpochNanos);
      }
    }

    private static int cell(SuspectedWaits.Wait wait, long epochNanos) {
      double part = (double) (epochNanos - wait.fromEpochNanos()) / wait.nanos();
      return (int) (CELLS * Math.max(0, Math.min(part, 1 - 1.0 / CELLS)));
    }

    private static void set(long[] cells, int cell) {
      cells[cell / Long.SIZE] |= 1L << cell;
    }

    private void before(Spans spans, int process, long epochNanos) {
      if (epochNanos > beforeEpochNanos
          || (epochNanos == beforeEpochNanos && isFirst(spans, process, beforeProcess))) {
        beforeEpochNanos = epochNanos;
        beforeProcess = process;
      }
    }

    private void after(Spans spans, int process, long epochNanos) {
      if (epochNanos < afterEpochNanos
          || (epochNanos == afterEpochNanos && isFirst(spans, process, afterProcess))) {
        afterEpochNanos = epochNanos;
        afterProcess = process;
      }
    }

    /** Of two processes at the same moment, the order of reading must not decide. */
    private static boolean isFirst(Spans spans, int process, int than) {
      return process != than
          && process != NOBODY
          && TracedProcess.ORDER.compare(
                  spans.processes().get(process), spans.processes().get(than))
              < 0;
    }

    private void add(Spans spans, Ends other) {
      count += other.count;
      for (int i = 0; i < ended.length; i++) {
        ended[i] |= other.ended[i];
        ran[i] |= other.ran[i];
      }
      before(spans, other.beforeProcess, other.beforeEpochNanos);
      after(spans, other.afterProcess, other.afterEpochNanos);
    }

    /**
     * The end that is nearest to that of the wait; null if there is none.
     *
     * @param isAlsoAfter whether it may come after the end of the wait
     */
    @Nullable Nearest nearest(SuspectedWaits.Wait wait, boolean isAlsoAfter) {
      long end = wait.toEpochNanos();
      boolean hasAfter = isAlsoAfter && afterProcess != NOBODY;
      if (beforeProcess == NOBODY) {
        return hasAfter ? new Nearest(afterEpochNanos, afterProcess) : null;
      }
      return hasAfter && afterEpochNanos - end < end - beforeEpochNanos
          ? new Nearest(afterEpochNanos, afterProcess)
          : new Nearest(beforeEpochNanos, beforeProcess);
    }

    /**
     * The share of the wait's moments that have an end as near as this: how probable it is that
     * chance puts the end of the wait so near to one. Never too small.
     *
     * @param isAlsoAfter whether ends after these moments count as well
     */
    double shareNear(long gapNanos, SuspectedWaits.Wait wait, boolean isAlsoAfter) {
      double behind = (double) gapNanos / wait.nanos();
      double ahead = isAlsoAfter ? behind : 0;
      // One beyond the end of the wait counts as if all of the moments near it were in the wait.
      boolean hasAfter = isAlsoAfter && afterProcess != NOBODY;
      double covered = hasAfter ? ahead + behind : 0;
      double most = covered + count * (ahead + behind);
      double reached = 0;
      BitSet withEnds = BitSet.valueOf(ended);
      for (int cell = withEnds.nextSetBit(0); cell >= 0; cell = withEnds.nextSetBit(cell + 1)) {
        double from = Math.max(reached, (double) cell / CELLS - ahead);
        double to = Math.min(1, (cell + 1.0) / CELLS + behind);
        covered += Math.max(0, to - from);
        reached = Math.max(reached, to);
      }
      return Math.min(covered, most);
    }

    /** The share of the wait in which they ran. */
    double shareRun() {
      return (double) BitSet.valueOf(ran).cardinality() / CELLS;
    }
  }

  private final Spans spans;

  /** By the number of the wait, then by name. */
  private final Map<Integer, Map<Integer, Ends>> byWait = new HashMap<>();

  /** By the number of the wait: the processes that called the span, other than its own. */
  private final Map<Integer, BitSet> callers = new HashMap<>();

  /** By the name of waits: the names of spans above and below them. */
  private final Map<Integer, BitSet> kin = new HashMap<>();

  /**
   * Of no traces yet.
   *
   * @param spans with the numbers of all names and processes
   */
  EndsDuringWaits(Spans spans) {
    this.spans = spans;
  }

  /** Adds those in some traces. */
  void see(RunTraces in, Spans ofTraces, Clocks clocks, SuspectedWaits waits) {
    rows(in, ofTraces, waits)
        .forEach(
            (number, row) -> {
              findKin(in, ofTraces, row, kin(waits.all().get(number).name()));
              callers.put(number, callers(in, ofTraces, row));
            });
    Set<String> doubtful = clocks.doubtful();
    for (int span : in.members) {
      int name = ofTraces.name(span);
      if (!waits.mayWaitFor(name)) {
        continue;
      }
      long end = ofTraces.end(span); // 0 without times
      for (int number : waits.at(end)) {
        SuspectedWaits.Wait wait = waits.all().get(number);
        int process = ofTraces.process(span);
        if (wait.name() != name
            && ofTraces.start(span) <= wait.toEpochNanos()
            && (doubtful.isEmpty() || areComparable(wait.process(), process, doubtful))
            && !in.pairs.isDispatch(span)) {
          ends(number, name).see(spans, wait, process, ofTraces.start(span), end);
        }
      }
    }
  }

  /** Whether the clocks of two processes are, as far as is known, the same. */
  private boolean areComparable(int process, int other, Set<String> doubtful) {
    String host = spans.processes().get(process).host();
    String otherHost = spans.processes().get(other).host();
    return host.equals(otherHost) || !(doubtful.contains(host) || doubtful.contains(otherHost));
  }

  /** By the number of the wait, the span that waits, of those in these traces. */
  private static Map<Integer, Integer> rows(RunTraces in, Spans ofTraces, SuspectedWaits waits) {
    Map<Integer, Map<Long, Integer>> byTrace = new TreeMap<>();
    for (int number = 0; number < waits.all().size(); number++) {
      SuspectedWaits.Wait wait = waits.all().get(number);
      int trace = ofTraces.findTrace(wait.traceId());
      if (trace >= 0) {
        byTrace.computeIfAbsent(trace, none -> new HashMap<>()).put(wait.spanId(), number);
      }
    }
    Map<Integer, Integer> rows = new HashMap<>();
    int[] order = in.tree.order();
    byTrace.forEach(
        (trace, ofTrace) -> {
          for (int i = in.tree.traceStart(trace); i < in.tree.traceStart(trace + 1); i++) {
            Integer number = ofTrace.get(ofTraces.id(order[i]));
            if (number != null && !ofTraces.isVirtual(order[i])) {
              rows.put(number, order[i]);
            }
          }
        });
    return rows;
  }

  /** The processes that called a span, other than its own. */
  private static BitSet callers(RunTraces in, Spans ofTraces, int span) {
    BitSet processes = new BitSet();
    for (int at = in.tree.above(span); at >= 0; at = in.tree.above(at)) {
      processes.set(ofTraces.process(at));
    }
    processes.clear(ofTraces.process(span));
    return processes;
  }

  /** The names of a span, of those above it, and of all that it waited for. */
  private static void findKin(RunTraces in, Spans ofTraces, int span, BitSet names) {
    for (int at = span; at >= 0; at = in.tree.above(at)) {
      names.set(ofTraces.name(at));
    }
    int[] stack = in.waits.children(span);
    int size = stack.length;
    while (size > 0) {
      int at = stack[--size];
      names.set(ofTraces.name(at));
      int more = in.waits.childCount(at);
      if (size + more > stack.length) {
        stack = Arrays.copyOf(stack, 2 * (size + more));
      }
      for (int i = 0; i < more; i++) {
        stack[size++] = in.waits.child(at, i);
      }
    }
  }

  /** Adds those in other traces. */
  void add(EndsDuringWaits part) {
    part.byWait.forEach(
        (wait, byName) -> byName.forEach((name, other) -> ends(wait, name).add(spans, other)));
    callers.putAll(part.callers); // each trace is in one part
    part.kin.forEach((name, names) -> kin(name).or(names));
  }

  private Ends ends(int wait, int name) {
    return byWait
        .computeIfAbsent(wait, none -> new HashMap<>())
        .computeIfAbsent(name, none -> new Ends());
  }

  private BitSet kin(int name) {
    return kin.computeIfAbsent(name, none -> new BitSet());
  }

  /** By name; the ends during a wait. */
  Map<Integer, Ends> of(int wait) {
    return byWait.getOrDefault(wait, Map.of());
  }

  /**
   * Whether the span that waits was called by that process, or by one that called that one. What a
   * caller does beside the call may be collecting the result, which may be there before the call
   * has ended: then the caller waits.
   */
  boolean isCalledBy(int wait, int process) {
    BitSet processes = callers.get(wait);
    return processes != null && processes.get(process);
  }

  /** Whether spans of one name are above or below spans of the other, which wait. */
  boolean areKin(int ofWait, int name) {
    BitSet names = kin.get(ofWait);
    return names != null && names.get(name);
  }
}
