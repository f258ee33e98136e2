package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Spans that worked by themselves on the critical path until they ended, and for long: a span that
 * waits inside itself looks like that. Some of each name, always the same ones.
 */
final class LastStretches implements Serializable {

  /** How many are kept of a name. */
  static final int MOST = 100;

  /** Shorter stretches are left out. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** So are those that are a smaller part of their span: it did something else. */
  private static final int LEAST_PART = 10;

  /** The path may leave a span a little before its end, by this part of the stretch. */
  private static final int CUT_PART = 100;

  /**
   * From a moment to the end of the span.
   *
   * @param order of a name, those with the lowest are kept; depends only on the span's ids
   */
  record Stretch(int span, long fromEpochNanos, long order)
      implements Comparable<Stretch>, Serializable {
    @Override
    public int compareTo(Stretch other) {
      int byOrder = Long.compare(other.order, order);
      return byOrder != 0 ? byOrder : Long.compare(other.fromEpochNanos, fromEpochNanos);
    }
  }

  private final Spans spans;

  /** The one with the highest order first. */
  private final Map<Integer, PriorityQueue<Stretch>> byName = new HashMap<>();

  LastStretches(Spans spans) {
    this.spans = spans;
  }

  /**
   * Looks at a segment of the path.
   *
   * @param name under which the path has it
   */
  void see(int span, int name, long fromEpochNanos, long toEpochNanos) {
    long nanos = spans.end(span) - fromEpochNanos;
    if (nanos >= LEAST_NANOS
        && nanos >= spans.nanos(span) / LEAST_PART
        && spans.end(span) - toEpochNanos <= nanos / CUT_PART
        && !spans.isVirtual(span)) {
      long order = MixedBits.of(spans.id(span) + 31L * spans.traceIdOf(span).hashCode());
      offer(name, new Stretch(span, fromEpochNanos, order));
    }
  }

  private void offer(int name, Stretch stretch) {
    PriorityQueue<Stretch> known = byName.computeIfAbsent(name, none -> new PriorityQueue<>());
    known.add(stretch);
    if (known.size() > MOST) {
      known.remove();
    }
  }

  /** Whether a stretch would be kept. */
  private boolean isKept(int name, Stretch stretch) {
    PriorityQueue<Stretch> known = byName.get(name);
    return known == null || known.size() < MOST || stretch.compareTo(known.element()) > 0;
  }

  /** Adds those of other steps. */
  void add(LastStretches part, RowCopies copies) {
    part.byName.forEach(
        (name, stretches) -> {
          for (Stretch stretch : stretches) {
            if (isKept(name, stretch)) {
              int copy = copies.of(stretch.span);
              offer(name, new Stretch(copy, stretch.fromEpochNanos, stretch.order));
            }
          }
        });
  }

  /** Of a name, in no particular order. */
  Collection<Stretch> of(int name) {
    PriorityQueue<Stretch> known = byName.get(name);
    return known == null ? List.of() : known;
  }
}
