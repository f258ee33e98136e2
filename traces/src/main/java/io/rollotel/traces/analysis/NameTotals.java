package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sums of spans with one name. A span that represents others that were not sampled counts as
 * many times as its trace states.
 */
public final class NameTotals implements Serializable {

  private final String name;
  private long[] nanos = new long[8];

  /** Null while each span stands for itself. */
  private double @Nullable [] weights;

  private int size;
  private double count;
  private long totalNanos;
  private long selfNanos;
  private double errors;

  /** Only durations with weights are. */
  private boolean isSorted;

  /** No duration up to this place is longer than any after it. */
  private int settled = -1;

  /** Replaces the durations if there are too many to keep. */
  private @Nullable DurationSketch sketch;

  NameTotals(String name) {
    this.name = name;
  }

  /**
   * Adds what another has.
   *
   * @param mostExact if there are more durations than this, percentiles are estimated
   */
  void add(NameTotals other, int mostExact) {
    count += other.count;
    totalNanos += other.totalNanos;
    selfNanos += other.selfNanos;
    errors += other.errors;
    isSorted = false;
    settled = -1;
    if (sketch == null && (other.sketch != null || (long) size + other.size > mostExact)) {
      sketch = new DurationSketch();
      sketch(sketch, this);
      nanos = new long[0];
      weights = null;
      size = 0;
    }
    if (sketch != null) {
      sketch(sketch, other);
      return;
    }
    for (int i = 0; i < other.size; i++) {
      keep(other.weights == null ? 1 : other.weights[i], other.nanos[i]);
    }
  }

  /** Adds the totals of a part to those of all, key by key. */
  static <K> void addAll(Map<K, NameTotals> all, Map<K, NameTotals> part, int mostExact) {
    part.forEach(
        (key, totals) ->
            all.computeIfAbsent(key, none -> new NameTotals(totals.name)).add(totals, mostExact));
  }

  private static void sketch(DurationSketch sketch, NameTotals of) {
    if (of.sketch != null && of.sketch != sketch) {
      sketch.add(of.sketch);
    }
    for (int i = 0; i < of.size; i++) {
      sketch.add(of.weights == null ? 1 : of.weights[i], of.nanos[i]);
    }
  }

  void add(double weight, long durationNanos, long itselfNanos, boolean isError) {
    keep(weight, durationNanos);
    count += weight;
    totalNanos += times(weight, durationNanos);
    selfNanos += times(weight, itselfNanos);
    errors += isError ? weight : 0;
    isSorted = false;
    settled = -1;
  }

  private void keep(double weight, long durationNanos) {
    if (sketch != null) {
      sketch.add(weight, durationNanos);
      return;
    }
    if (size == nanos.length) {
      nanos = Arrays.copyOf(nanos, Math.max(8, 2 * size));
    }
    if (weights != null || weight != 1) {
      weigh(weight);
    }
    nanos[size++] = durationNanos;
  }

  private void weigh(double weight) {
    double[] known = weights;
    if (known == null) {
      known = new double[nanos.length];
      Arrays.fill(known, 1);
    } else if (known.length < nanos.length) {
      known = Arrays.copyOf(known, nanos.length);
    }
    known[size] = weight;
    weights = known;
  }

  /** The number of spans that a duration represents. */
  static long times(double weight, long nanos) {
    return weight == 1 ? nanos : Math.round(weight * nanos);
  }

  public String name() {
    return name;
  }

  public long count() {
    return Math.round(count);
  }

  public long totalNanos() {
    return totalNanos;
  }

  /** The spans' time without the time in which their children ran. */
  public long selfNanos() {
    return selfNanos;
  }

  public long meanNanos() {
    return Math.round(totalNanos / count);
  }

  /** The same of the time in which they waited for no other span. */
  long meanSelfNanos() {
    return Math.round(selfNanos / count);
  }

  public long errors() {
    return Math.round(errors);
  }

  /** How many spans take at least this long, which is a positive time. */
  long countFrom(double leastNanos) {
    if (sketch != null) {
      return Math.round(sketch.countFrom(leastNanos));
    }
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += nanos[i] < leastNanos ? 0 : weights == null ? 1 : weights[i];
    }
    return Math.round(sum);
  }

  /** The nearest-rank percentile of the durations; 0 if there is none. */
  public long percentile(int percent) {
    if (sketch != null) {
      return sketch.percentile(percent);
    }
    if (size == 0) {
      return 0;
    }
    if (weights != null) {
      double[] sorted = sortedWeights(weights);
      return percentile(nanos, sorted, size, count * percent / 100);
    }
    int place = place(size, percent);
    if (place > settled) {
      Selection.settle(nanos, settled + 1, size, place);
    } else {
      Selection.settle(nanos, 0, settled + 1, place);
    }
    settled = place;
    return nanos[place];
  }

  /** The weights by duration; the durations are sorted with them. */
  private double[] sortedWeights(double[] known) {
    if (isSorted) {
      return known;
    }
    int[] order = new int[size];
    Arrays.setAll(order, i -> i);
    long[] unsorted = nanos;
    IndexSort.sort(order, (a, b) -> unsorted[a] < unsorted[b]);
    nanos = Arrays.stream(order).mapToLong(i -> unsorted[i]).toArray();
    double[] sorted = Arrays.stream(order).mapToDouble(i -> known[i]).toArray();
    weights = sorted;
    isSorted = true;
    return sorted;
  }

  /**
   * The nearest-rank percentile: the smallest value that this percentage of values does not exceed.
   */
  static long percentile(long[] sorted, int percent) {
    return sorted[place(sorted.length, percent)];
  }

  private static int place(int length, int percent) {
    int rank = (int) (((long) length * percent + 99) / 100);
    return Math.max(rank, 1) - 1;
  }

  /** Slightly less, because the last digits of sums of weights depend on their order. */
  static double enough(double rank) {
    return rank * (1 - 1e-9);
  }

  private static long percentile(long[] sorted, double[] weights, int length, double rank) {
    double reached = 0;
    double enough = enough(rank);
    for (int i = 0; i < length; i++) {
      reached += weights[i];
      if (reached >= enough) {
        return sorted[i];
      }
    }
    return sorted[length - 1];
  }
}
