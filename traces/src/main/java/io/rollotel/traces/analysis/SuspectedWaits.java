package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Stretches of spans on the critical path that may be waits for other spans, and at which moments
 * they run. Any trace can be searched for what they waited for.
 */
final class SuspectedWaits implements Serializable {

  /**
   * A stretch.
   *
   * @param span the span, in the totals of the run
   * @param name under which the path has it
   */
  record Wait(
      int span,
      int name,
      int process,
      String traceId,
      long spanId,
      long fromEpochNanos,
      long toEpochNanos)
      implements Serializable {
    long nanos() {
      return toEpochNanos - fromEpochNanos;
    }

    /** How far an end may be from that of the wait. */
    long largestGapNanos() {
      return nanos() / 10;
    }

    /** Ends after this are of no interest. */
    private long untilEpochNanos() {
      return toEpochNanos + largestGapNanos();
    }
  }

  private static final int[] NONE = {};

  private final List<Wait> all;

  /** The names of the spans that may have been waited for. */
  private final BitSet names;

  /** Where an end begins and ceases to be of interest for a wait, sorted. */
  private final long[] moments;

  /** The waits between each of these and the next. */
  private final List<int[]> between = new ArrayList<>();

  private SuspectedWaits(List<Wait> all, BitSet names) {
    this.all = all;
    this.names = names;
    this.moments =
        all.stream()
            .flatMapToLong(wait -> LongStream.of(wait.fromEpochNanos, wait.untilEpochNanos()))
            .sorted()
            .distinct()
            .toArray();
    for (int i = 0; i + 1 < moments.length; i++) {
      long from = moments[i];
      long to = moments[i + 1];
      between.add(
          IntStream.range(0, all.size())
              .filter(n -> all.get(n).fromEpochNanos <= from && all.get(n).untilEpochNanos() >= to)
              .toArray());
    }
  }

  /**
   * The waits of some names.
   *
   * @param suspects the numbers of the names
   * @param names the numbers of those that may have been waited for
   */
  static SuspectedWaits of(
      Spans spans, LastStretches stretches, Collection<Integer> suspects, BitSet names) {
    List<Wait> all = new ArrayList<>();
    for (int name : suspects) {
      for (LastStretches.Stretch stretch : stretches.of(name)) {
        int span = stretch.span();
        all.add(
            new Wait(
                span,
                name,
                spans.process(span),
                spans.traceIdOf(span),
                spans.id(span),
                stretch.fromEpochNanos(),
                spans.end(span)));
      }
    }
    all.sort(
        Comparator.comparingLong(Wait::fromEpochNanos)
            .thenComparing(Wait::traceId)
            .thenComparing(Wait::spanId));
    return new SuspectedWaits(all, names);
  }

  /** By start. */
  List<Wait> all() {
    return all;
  }

  /** The numbers of those of a name. */
  int[] of(int name) {
    return IntStream.range(0, all.size()).filter(n -> all.get(n).name == name).toArray();
  }

  boolean mayWaitFor(int name) {
    return names.get(name);
  }

  /** The numbers of the waits for which an end at that moment is of interest. */
  int[] at(long epochNanos) {
    int found = Arrays.binarySearch(moments, epochNanos);
    int before = (found < 0 ? -found - 1 : found) - 1;
    return before < 0 || before >= between.size() ? NONE : between.get(before);
  }
}
