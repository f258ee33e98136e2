package io.rollotel.traces.analysis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The phase that makes some steps longer than others. All others together have at most half of the
 * difference that they would have if all phases had become longer alike.
 */
final class LongerPart {

  /** So many phases of the longer steps are looked at, the longest. */
  private static final int MOST_PHASES = 10;

  private LongerPart() {}

  /**
   * The phase with most of the time by which steps exceed others.
   *
   * @param usualNanos how long the others take, the median
   * @return nothing if no phase explains that time
   */
  static Finding.Below of(List<Steps.Step> longer, List<Steps.Step> others, long usualNanos) {
    Map<Integer, Long> sums = new HashMap<>();
    long wallNanos = 0;
    for (Steps.Step step : longer) {
      wallNanos += step.wallNanos() - usualNanos;
      for (Steps.PhaseTime phase : step.phases()) {
        sums.merge(phase.name(), phase.nanos(), Long::sum);
      }
    }
    int most = -1;
    long mostNanos = 0;
    long usualOfMost = 0;
    List<Map.Entry<Integer, Long>> longest =
        sums.entrySet().stream()
            .sorted(
                Map.Entry.<Integer, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey()))
            .limit(MOST_PHASES)
            .toList();
    for (Map.Entry<Integer, Long> phase : longest) {
      long usual = usual(others, phase.getKey());
      long nanos = phase.getValue() - longer.size() * usual;
      if (nanos > mostNanos) {
        most = phase.getKey();
        mostNanos = nanos;
        usualOfMost = usual;
      }
    }
    double share = (double) mostNanos / Math.max(1, wallNanos);
    double usualShare = usualNanos == 0 ? 0 : (double) usualOfMost / usualNanos;
    return most < 0 || 1 - share > (1 - usualShare) / 2
        ? Finding.Below.NOTHING
        : Finding.Below.mostIn(most, Math.min(1, share));
  }

  /** The median of a phase; 0 in steps that lack it. */
  private static long usual(List<Steps.Step> steps, int phase) {
    return LowerMedian.of(
        steps.stream()
            .mapToLong(
                step ->
                    step.phases().stream()
                        .filter(one -> one.name() == phase)
                        .mapToLong(Steps.PhaseTime::nanos)
                        .findFirst()
                        .orElse(0)));
  }
}
