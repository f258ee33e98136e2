package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.Spans;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** How many spans of each name took how long: four classes for each doubling of the time. */
final class PageDurations {

  private static final int CLASSES = 4 * 64;

  private final double[] @Nullable [] byName;

  /**
   * Counts.
   *
   * @param names how many are on the page; of others nothing is counted
   */
  PageDurations(RunAnalysis run, PageNumbers numbers, int names) {
    Spans spans = run.spans();
    this.byName = new double[spans.names().size()][];
    BitSet executed = new BitSet();
    for (int span : run.members()) {
      if (!spans.isDispatch(span)) {
        executed.set(spans.name(span));
      }
    }
    for (int span : run.members()) {
      int name = spans.name(span);
      boolean isListed = numbers.name(name) >= 0 && numbers.name(name) < names;
      if (isListed && !(spans.isDispatch(span) && executed.get(name))) {
        double[] counts = byName[name];
        if (counts == null) {
          counts = new double[CLASSES];
          byName[name] = counts;
        }
        counts[classOf(spans.nanos(span))] += spans.weight(span);
      }
    }
  }

  /** The class of a time: from 2 to the power of a quarter of it. */
  static int classOf(long nanos) {
    if (nanos <= 1) {
      return 0;
    }
    // A power of two is in the class that it begins, whatever the logarithm's last digit is.
    return (int) Math.floor(4 * Math.log((double) nanos) / Math.log(2) + 1e-9);
  }

  /** Writes the classes that have any, each with its count. */
  void write(JsonRows json, int name) {
    double[] counts = byName[name];
    for (int i = 0; counts != null && i < CLASSES; i++) {
      if (counts[i] > 0) {
        json.numbers(i, Math.round(counts[i]));
      }
    }
  }
}
