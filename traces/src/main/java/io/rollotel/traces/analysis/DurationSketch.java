package io.rollotel.traces.analysis;

import com.datadoghq.sketch.ddsketch.mapping.LogarithmicMapping;
import com.datadoghq.sketch.ddsketch.store.Bin;
import com.datadoghq.sketch.ddsketch.store.Store;
import com.datadoghq.sketch.ddsketch.store.UnboundedSizeDenseStore;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Iterator;

/**
 * Durations without their exact values: the number in each bucket of a logarithmic scale. Two
 * sketches add up to the sketch of all their durations, in any order.
 *
 * <p>The error of a percentile is at most {@link #ERROR} of its value. The scale and its store are
 * those of DDSketch (Masson, Rim, Lee: "DDSketch: a fast and fully-mergeable quantile sketch with
 * relative-error guarantees", VLDB 2019). About 9 KB for durations that differ by a factor of 10.
 */
final class DurationSketch implements Serializable {

  /** The largest relative error of a percentile. */
  static final double ERROR = 0.001;

  private static final LogarithmicMapping SCALE = new LogarithmicMapping(ERROR);

  private transient Store counts = new UnboundedSizeDenseStore(); // has no serial form
  private double zeros;
  private double count;
  private long most;

  void add(double weight, long nanos) {
    if (nanos == 0) {
      zeros += weight;
    } else {
      counts.add(SCALE.index((double) nanos), weight);
    }
    count += weight;
    most = Math.max(most, nanos);
  }

  void add(DurationSketch other) {
    counts.mergeWith(other.counts);
    zeros += other.zeros;
    count += other.count;
    most = Math.max(most, other.most);
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
    for (Iterator<Bin> bins = counts.getAscendingIterator(); bins.hasNext(); ) {
      Bin bin = bins.next();
      out.writeInt(bin.getIndex());
      out.writeDouble(bin.getCount());
    }
    out.writeInt(0);
    out.writeDouble(0);
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    counts = new UnboundedSizeDenseStore();
    int index = in.readInt();
    for (double ofBin = in.readDouble(); ofBin != 0; ofBin = in.readDouble()) {
      counts.add(index, ofBin);
      index = in.readInt();
    }
  }

  /** How many durations are at least this long, which is a positive time. */
  double countFrom(double leastNanos) {
    double sum = 0;
    for (Iterator<Bin> bins = counts.getDescendingIterator(); bins.hasNext(); ) {
      Bin bin = bins.next();
      if (SCALE.value(bin.getIndex()) < leastNanos) {
        break;
      }
      sum += bin.getCount();
    }
    return sum;
  }

  /** The nearest-rank percentile; the 100th is exact. */
  long percentile(int percent) {
    double rank = NameTotals.enough(count * percent / 100);
    if (percent == 100 || rank <= zeros) {
      return percent == 100 ? most : 0;
    }
    double reached = zeros;
    for (Iterator<Bin> bins = counts.getAscendingIterator(); bins.hasNext(); ) {
      Bin bin = bins.next();
      reached += bin.getCount();
      if (reached >= rank) {
        return Math.min(most, Math.round(SCALE.value(bin.getIndex())));
      }
    }
    return most;
  }
}
