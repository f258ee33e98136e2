package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds spans whose date cannot be true: they are few, and more than a year away from the run's
 * other spans.
 *
 * <p>A clock that was never set says 1970; one that was set wrongly may say 2200. A single such
 * span would make its run centuries long, so its times are removed. The dates of parts of a run's
 * traces add up to those of the whole.
 */
public final class RunDates implements Serializable {

  private static final long YEAR_NANOS = 366 * 86_400_000_000_000L;

  /** At most one of so many spans may be misdated; if more are, it is unclear which ones. */
  private static final int ONE_OF = 3;

  /** Groups of times in which neighbours are at most a year apart. */
  private static final class Era implements Serializable {
    long last;
    long times;

    /** The number of spans that are entirely within it. */
    long spans;

    Era(long last, long times, long spans) {
      this.last = last;
      this.times = times;
      this.spans = spans;
    }
  }

  private record Stretch(long start, long end) implements Serializable {}

  /** The times of one run's spans. */
  private static final class OfRun implements Serializable {
    /** By their first times. */
    final TreeMap<Long, Era> eras = new TreeMap<>();

    /** Spans of more than a year, which may begin in one era and end in another. */
    final List<Stretch> longSpans = new ArrayList<>();

    long spans;

    void add(long first, long last, long times, long itsSpans) {
      Era era = new Era(last, times, itsSpans);
      long from = first;
      Map.Entry<Long, Era> before = eras.floorEntry(first);
      if (before != null && first - before.getValue().last <= YEAR_NANOS) {
        from = before.getKey();
        era = merged(before.getValue(), era);
        eras.remove(from);
      }
      Map.Entry<Long, Era> next = eras.higherEntry(from);
      while (next != null && next.getKey() - era.last <= YEAR_NANOS) {
        era = merged(next.getValue(), era);
        eras.remove(next.getKey());
        next = eras.higherEntry(from);
      }
      eras.put(from, era);
    }

    private static Era merged(Era a, Era b) {
      return new Era(Math.max(a.last, b.last), a.times + b.times, a.spans + b.spans);
    }

    /** The first and the last credible time; null if all are credible, or it is unclear. */
    @Nullable Stretch range() {
      long reached = 0;
      for (Map.Entry<Long, Era> era : eras.entrySet()) {
        reached += era.getValue().times;
        if (reached > spans) { // the median: it is true, or most are not
          Stretch range = new Stretch(era.getKey(), era.getValue().last);
          long inside =
              era.getValue().spans
                  + longSpans.stream()
                      .filter(span -> span.start >= range.start && span.end <= range.end)
                      .count();
          return (spans - inside) * ONE_OF <= spans ? range : null;
        }
      }
      return null;
    }
  }

  private final Map<Integer, OfRun> runs = new HashMap<>();

  /** Of no spans yet. */
  public RunDates() {}

  /** Removes the times of such spans; each run is handled separately. */
  public static void undate(Spans spans) {
    RunDates dates = new RunDates();
    dates.see(spans);
    dates.undateIn(spans);
  }

  /** Looks at the times of some traces, whose runs are known. */
  public void see(Spans spans) {
    long[] first = new long[spans.runs().size()];
    long[] last = new long[first.length];
    long[] count = new long[first.length];
    Arrays.fill(first, Long.MAX_VALUE);
    for (int span = 0; span < spans.size(); span++) {
      if (spans.isTimed(span)) {
        int run = spans.run(span);
        first[run] = Math.min(first[run], spans.start(span));
        last[run] = Math.max(last[run], spans.end(span));
        count[run]++;
      }
    }
    for (int run = 0; run < first.length; run++) {
      if (count[run] > 0) {
        OfRun of = runs.computeIfAbsent(run, none -> new OfRun());
        of.spans += count[run];
        if (last[run] - first[run] > YEAR_NANOS) { // rarely reached: this costs some time
          see(spans, run, of);
        } else {
          of.add(first[run], last[run], 2 * count[run], count[run]);
        }
      }
    }
  }

  private static void see(Spans spans, int run, OfRun of) {
    for (int span = 0; span < spans.size(); span++) {
      if (spans.run(span) == run && spans.isTimed(span)) {
        if (spans.nanos(span) <= YEAR_NANOS) {
          of.add(spans.start(span), spans.end(span), 2, 1);
        } else {
          of.add(spans.start(span), spans.start(span), 1, 0);
          of.add(spans.end(span), spans.end(span), 1, 0);
          of.longSpans.add(new Stretch(spans.start(span), spans.end(span)));
        }
      }
    }
  }

  /** Adds the dates of other traces. */
  public void add(RunDates part) {
    part.runs.forEach(
        (run, other) -> {
          OfRun of = runs.computeIfAbsent(run, none -> new OfRun());
          of.spans += other.spans;
          other.eras.forEach((first, era) -> of.add(first, era.last, era.times, era.spans));
          of.longSpans.addAll(other.longSpans);
        });
  }

  /** Whether all dates are credible. */
  public boolean areAllTrue() {
    return runs.values().stream()
        .allMatch(of -> of.range() == null || (of.eras.size() == 1 && of.longSpans.isEmpty()));
  }

  /** Removes the times in some of the inspected traces. Any thread. */
  public void undateIn(Spans spans) {
    if (areAllTrue()) {
      return;
    }
    Map<Integer, Stretch> ranges = new HashMap<>();
    runs.forEach(
        (run, of) -> {
          Stretch range = of.range();
          if (range != null) {
            ranges.put(run, range);
          }
        });
    for (int span = 0; span < spans.size(); span++) {
      Stretch range = spans.isTimed(span) ? ranges.get(spans.run(span)) : null;
      if (range != null && (spans.start(span) < range.start || spans.end(span) > range.end)) {
        spans.undate(span);
      }
    }
  }
}
