package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** Histograms of durations by span name: four classes for each doubling of the time. */
final class PageDurations implements Serializable {

  private static final int CLASSES = 4 * 64;

  private final double[] @Nullable [] byName;

  /**
   * Empty histograms.
   *
   * @param differentNames the number of names of all spans of the run
   */
  PageDurations(int differentNames) {
    this.byName = new double[differentNames][];
  }

  /**
   * Counts spans.
   *
   * @param names how many names are on the page; others are not counted
   */
  PageDurations(RunAnalysis run, PageNumbers numbers, int names) {
    this(run.spans().names().size());
    Spans spans = run.spans();
    for (int span : run.members()) {
      int name = spans.name(span);
      boolean isListed = numbers.name(name) >= 0 && numbers.name(name) < names;
      if (isListed && !run.isDispatch(span)) {
        double[] counts = byName[name];
        if (counts == null) {
          counts = new double[CLASSES];
          byName[name] = counts;
        }
        counts[classOf(spans.nanos(span))] += spans.weight(span);
      }
    }
  }

  /** Adds the counts of other spans. */
  void add(PageDurations other) {
    for (int name = 0; name < other.byName.length; name++) {
      double[] more = other.byName[name];
      if (more == null) {
        continue;
      }
      double[] counts = byName[name];
      if (counts == null) {
        counts = new double[CLASSES];
        byName[name] = counts;
      }
      for (int i = 0; i < CLASSES; i++) {
        counts[i] += more[i];
      }
    }
  }

  /** The class of a time: class n begins at 2 to the power of n/4. */
  static int classOf(long nanos) {
    if (nanos <= 1) {
      return 0;
    }
    // A power of two is in the class that it begins, regardless of rounding in the logarithm.
    return (int) Math.floor(4 * Math.log((double) nanos) / Math.log(2) + 1e-9);
  }

  /** Writes the non-empty classes, each with its count. */
  void write(JsonRows json, int name) {
    double[] counts = byName[name];
    for (int i = 0; counts != null && i < CLASSES; i++) {
      if (counts[i] > 0) {
        json.numbers(i, Math.round(counts[i]));
      }
    }
  }
}
