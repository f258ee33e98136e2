package io.rollotel.traces.profile;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why some processes take longer than their peers for the same work, or one run longer than
 * another.
 *
 * @param activity the activity that takes longer
 * @param share its share of the additional time, from 0 to 1
 * @param what the method, lock or other object that accounts for most of it; empty if it is not
 *     known
 * @param heapPercent how full the heap was after collections, if these are the cause; otherwise 0
 */
public record Cause(Activity activity, double share, String what, int heapPercent) {

  /** Less explains too little. */
  private static final double LEAST_SHARE = 0.2;

  /** A tenth more than its peers take is no difference to explain. */
  private static final double LEAST_DIFFERENCE = 0.05;

  /**
   * Compares the activities in spans of one name, by their mean per span.
   *
   * @return null if no activity stands out, or one side has no profile
   */
  static @Nullable Cause of(Breakdown slow, Breakdown peers, int heapPercent) {
    double count = recordedSpans(slow);
    double peerCount = recordedSpans(peers);
    if (count == 0 || peerCount == 0) {
      return null;
    }
    double mean = recordedNanos(slow) / count;
    double difference = mean - recordedNanos(peers) / peerCount;
    if (difference < LEAST_DIFFERENCE * mean) {
      return null;
    }
    Activity most = null;
    double mostNanos = 0;
    for (Activity activity : Activity.values()) {
      double nanos = slow.nanos(activity) / count - peers.nanos(activity) / peerCount;
      if (nanos > mostNanos && activity != Activity.NO_PROFILE) {
        most = activity;
        mostNanos = nanos;
      }
    }
    if (most == null || most == Activity.UNEXPLAINED || mostNanos < LEAST_SHARE * difference) {
      return null;
    }
    return new Cause(
        most,
        Math.min(1, mostNanos / difference),
        what(most, slow, peers),
        most == Activity.GC_PAUSE ? heapPercent : 0);
  }

  /** A profile that begins late explains the calls that it has seen, and says nothing of others. */
  private static double recordedNanos(Breakdown all) {
    return all.totalNanos() - all.nanos(Activity.NO_PROFILE);
  }

  /** So many of the spans as there is recorded time. */
  private static double recordedSpans(Breakdown all) {
    return all.totalNanos() == 0 ? 0 : all.spans() * recordedNanos(all) / all.totalNanos();
  }

  /** The one that has grown most. */
  private static String what(Activity activity, Breakdown slow, Breakdown peers) {
    if (activity == Activity.RUNNING && !slow.tellsMethods()) {
      return "";
    }
    Map<String, Double> usual = new HashMap<>();
    peers
        .details(activity)
        .forEach(detail -> usual.put(detail.what(), detail.nanos() / recordedSpans(peers)));
    String most = "";
    double mostNanos = 0;
    for (Breakdown.Detail detail : slow.details(activity)) {
      double nanos = detail.nanos() / recordedSpans(slow) - usual.getOrDefault(detail.what(), 0.0);
      if (nanos > mostNanos) {
        most = detail.what();
        mostNanos = nanos;
      }
    }
    return most;
  }
}
