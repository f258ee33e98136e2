package io.rollotel.traces.spans;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Finds spans whose date cannot be true: more than a year lies between it and the run's other
 * spans, and they are few.
 *
 * <p>A clock that was never set says 1970, one that was set wrongly 2200. A single such span would
 * make its run centuries long. Its times are taken away, as if it had come without.
 */
public final class MisdatedSpans {

  private static final long YEAR_NANOS = 366 * 86_400_000_000_000L;

  /** One of so many spans may be misdated; where more are, nobody knows which of them it is. */
  private static final int ONE_OF = 3;

  private final Spans spans;

  private MisdatedSpans(Spans spans) {
    this.spans = spans;
  }

  /** Takes the times of such spans away; each run is looked at by itself. */
  public static void undate(Spans spans) {
    new MisdatedSpans(spans).undate();
  }

  private void undate() {
    long[] first = new long[spans.runs().size()];
    long[] last = new long[first.length];
    Arrays.fill(first, Long.MAX_VALUE);
    for (int span = 0; span < spans.size(); span++) {
      if (spans.isTimed(span)) {
        int run = spans.run(span);
        first[run] = Math.min(first[run], spans.start(span));
        last[run] = Math.max(last[run], spans.end(span));
      }
    }
    for (int run = 0; run < first.length; run++) {
      if (last[run] - first[run] > YEAR_NANOS) { // hardly ever: the rest costs some time
        undate(run);
      }
    }
  }

  private void undate(int run) {
    int[] timed = new int[spans.size()];
    int count = 0;
    for (int span = 0; span < spans.size(); span++) {
      if (spans.run(span) == run && spans.isTimed(span)) {
        timed[count++] = span;
      }
    }
    long[] times = new long[2 * count];
    for (int i = 0; i < count; i++) {
      times[2 * i] = spans.start(timed[i]);
      times[2 * i + 1] = spans.end(timed[i]);
    }
    Arrays.sort(times);
    int from = count; // the median: it is true, or most are not
    while (from > 0 && times[from] - times[from - 1] <= YEAR_NANOS) {
      from--;
    }
    int to = count;
    while (to + 1 < times.length && times[to + 1] - times[to] <= YEAR_NANOS) {
      to++;
    }
    int[] far = Arrays.stream(timed, 0, count).filter(isOutside(times[from], times[to])).toArray();
    if ((long) far.length * ONE_OF <= count) {
      for (int span : far) {
        spans.undate(span);
      }
    }
  }

  private IntPredicate isOutside(long from, long to) {
    return span -> spans.start(span) < from || spans.end(span) > to;
  }
}
