package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The chain of work without which a run would have ended earlier, where steps overlap: from the end
 * of the last step backwards to the start of the first. The segments cover the time once.
 *
 * <p>Within a step it is the step's {@link CriticalPath}, with one exception. If the step did
 * nothing before a phase, and the phase with that name in another step ended just before, the step
 * waited for its turn: the path continues in the other step.
 *
 * <p>At the start of a step, it continues in the step in which something ended nearest to that
 * moment: a step, or a span that the step waited for and that the step outlives. As far as times
 * show, what ended then started the next step. The {@link Tolerance} is the same as within a step.
 */
final class RunPath {

  /** Receives each section of the path within a step, the last first. */
  interface Visits {
    /**
     * From a moment back to another.
     *
     * @param isWithin whether the step runs at that moment; otherwise it has ended by then
     */
    void visit(int step, boolean isWithin, long momentEpochNanos, long untilEpochNanos);
  }

  private static final int NONE = -1;

  private final Spans spans;
  private final SpanTree waits;
  private final CriticalPath path;

  /** By start, without steps that take no time. */
  private final int[] steps;

  private final long[] starts;

  // Ends, sorted by their moments.

  /** The span that ended: a step, or a span that a step waited for. */
  private int[] ended = new int[64];

  /** The step in which it ended. */
  private int[] within = new int[64];

  /** The moments. */
  private final long[] endMoments;

  private int count;

  /**
   * Looks at the steps.
   *
   * @param all by start
   */
  RunPath(Spans spans, SpanTree waits, CriticalPath path, int[] all) {
    this.spans = spans;
    this.waits = waits;
    this.path = path;
    this.steps = Arrays.stream(all).filter(step -> spans.nanos(step) > 0).toArray();
    this.starts = Arrays.stream(steps).mapToLong(spans::start).toArray();
    for (int step : steps) {
      add(step, step);
      for (int i = 0; i < waits.childCount(step); i++) {
        add(waits.child(step, i), step);
      }
    }
    sort();
    this.endMoments = IntStream.range(0, count).mapToLong(this::momentOf).toArray();
  }

  private void add(int span, int step) {
    if (start(span, step) >= end(span, step)) {
      return;
    }
    if (count == ended.length) {
      ended = Arrays.copyOf(ended, 2 * count);
      within = Arrays.copyOf(within, 2 * count);
    }
    ended[count] = span;
    within[count++] = step;
  }

  /**
   * By end; if equal, the step before the spans that it waited for, and the earlier start first.
   */
  private void sort() {
    int[] order = new int[count];
    Arrays.setAll(order, i -> i);
    IndexSort.sort(
        order,
        (a, b) -> {
          long endA = end(ended[a], within[a]);
          long endB = end(ended[b], within[b]);
          if (endA != endB) {
            return endA < endB;
          }
          boolean isStepA = ended[a] == within[a];
          return isStepA != (ended[b] == within[b])
              ? isStepA
              : waits.isBefore(within[a], within[b]);
        });
    ended = Arrays.stream(order).map(i -> ended[i]).toArray();
    within = Arrays.stream(order).map(i -> within[i]).toArray();
  }

  private long start(int span, int step) {
    return Math.max(spans.start(span), spans.start(step));
  }

  private long end(int span, int step) {
    return Math.min(spans.end(span), spans.end(step));
  }

  private long momentOf(int n) {
    return end(ended[n], within[n]);
  }

  private long end(int n) {
    return endMoments[n];
  }

  /** Gives the segments to the sink, the last first, and names the steps that they are in. */
  void follow(CriticalPath.Sink sink, Visits visits) {
    long first = spans.start(steps[0]);
    long moment = Arrays.stream(steps).mapToLong(spans::end).max().orElse(first);
    int turn = NONE;
    while (moment > first) {
      int next = turn != NONE ? turn : nearest(moment);
      int step = next == NONE ? lastBegun(moment) : within[next];
      InStep inStep = new InStep(step, sink);
      boolean isWithin = turn != NONE || next == NONE || ended[next] != step;
      long from = isWithin ? moment : Math.min(spans.end(step), moment);
      if (from < moment) {
        sink.segment(CriticalPath.NO_SPAN, false, from, moment);
      }
      path.followFrom(step, isWithin, from, inStep);
      turn = inStep.turn;
      moment = turn == NONE ? spans.start(step) : inStep.moment;
      visits.visit(step, isWithin, from, moment);
    }
  }

  /** Passes on the segments of a step, up to the moment from which it waited for its turn. */
  private final class InStep implements CriticalPath.Sink {
    private final int step;
    private final CriticalPath.Sink sink;

    /** The span that the path came through last, of those that the step waited for. */
    private int phase = NONE;

    /** The end that gave this step its turn. */
    private int turn = NONE;

    private long moment;

    InStep(int step, CriticalPath.Sink sink) {
      this.step = step;
      this.sink = sink;
    }

    @Override
    public void segment(int span, boolean isQueueWait, long from, long to) {
      if (turn != NONE) {
        return;
      }
      if (span == step) {
        turn = phase == NONE ? NONE : turn(step, spans.name(phase), from, to);
        if (turn != NONE) {
          moment = Math.min(end(turn), to);
          if (moment < to) {
            sink.segment(span, isQueueWait, moment, to);
          }
          return;
        }
      } else {
        phase = phase(span);
      }
      sink.segment(span, isQueueWait, from, to);
    }

    private int phase(int span) {
      int found = waits.childAbove(step, span);
      return found < 0 ? phase : found;
    }
  }

  /**
   * The end of a phase of that name in another step, nearest to the end of a time in which this one
   * did nothing; it may be off by the {@link Tolerance} of that time.
   */
  private int turn(int step, int name, long from, long to) {
    long toleranceNanos = Tolerance.nanos(to - from);
    int best = NONE;
    for (int i = after(to - toleranceNanos - 1); i < count && end(i) <= to + toleranceNanos; i++) {
      boolean isPhase = ended[i] != within[i] && spans.name(ended[i]) == name;
      if (isPhase
          && within[i] != step
          && start(ended[i], within[i]) < to
          && (best == NONE || Math.abs(end(i) - to) < Math.abs(end(best) - to))) {
        best = i;
      }
    }
    return best;
  }

  /** The end nearest to a moment, within the tolerance; of two, the earlier. */
  private int nearest(long moment) {
    int after = after(moment);
    int best = after - 1;
    while (best > 0 && end(best - 1) == end(best)) {
      best--;
    }
    long atMost = best == NONE ? Long.MAX_VALUE : moment - end(best);
    for (int i = after; i < count && end(i) - moment < atMost; i++) {
      if (end(i) - moment > Tolerance.nanos(end(i) - spans.start(steps[0]))) {
        break; // later ones are outside the tolerance as well
      }
      long toleranceNanos = Tolerance.nanos(end(i) - start(ended[i], within[i]));
      if (spans.start(within[i]) < moment && end(i) - moment <= toleranceNanos) {
        return i;
      }
    }
    return best;
  }

  /** The first end after the moment. */
  private int after(long moment) {
    return StepTimes.upTo(endMoments, moment);
  }

  /** The last step to begin before the moment. */
  private int lastBegun(long moment) {
    return steps[StepTimes.upTo(starts, moment - 1) - 1];
  }
}
