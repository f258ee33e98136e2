package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Workers on which the spans of a name got slower from one run to another, while they did not on
 * the others that have such spans. Times are medians over steps; of several workers, the median of
 * these, the lower of two.
 *
 * @param workers of the later run, the slowest first
 * @param host if they are all workers of one host, and others are not; otherwise empty
 * @param areMatched whether each worker is compared with the same one of the earlier run; otherwise
 *     it is compared with the slowest one there
 * @param others how many others there are; those that both runs have if workers are matched
 * @param spansInStep how many such spans one of these workers has in a step of the later run
 * @param pValue adjusted, the largest of these workers
 */
public record SlowerWorkers(
    String name,
    List<TracedProcess> workers,
    String host,
    boolean areMatched,
    int others,
    long beforeNanos,
    long afterNanos,
    long othersBeforeNanos,
    long othersAfterNanos,
    long spansInStep,
    double pValue) {

  /** The others may have grown by this share of what these did, at most, or all got slower. */
  private static final double MOST_OF_OTHERS = 0.5;

  /** If they have grown by less, they did not get slower. */
  private static final double LITTLE = 0.2;

  /** Whether the others did not get slower; otherwise they did, but far less. */
  public boolean areAlone() {
    return isShare(LITTLE);
  }

  /** Whether the others did not get slower as much as these did. */
  boolean areClear() {
    return isShare(MOST_OF_OTHERS);
  }

  /** In time and as a factor, because workers may differ all the time. */
  private boolean isShare(double most) {
    return othersAfterNanos - othersBeforeNanos <= most * (afterNanos - beforeNanos)
        && Math.log((double) othersAfterNanos / othersBeforeNanos)
            <= most * Math.log((double) afterNanos / beforeNanos);
  }

  /** How much longer the spans of one of these workers take in a step than before, together. */
  long excessNanos() {
    return spansInStep * (afterNanos - beforeNanos);
  }

  /** The host of those workers if it has no other one of these, and other hosts have some. */
  static String host(List<TracedProcess> workers, List<TracedProcess> all) {
    Set<String> hosts = workers.stream().map(TracedProcess::host).collect(Collectors.toSet());
    String host = workers.get(0).host();
    long onHost = all.stream().filter(worker -> worker.host().equals(host)).count();
    boolean isWhole = hosts.size() == 1 && onHost == workers.size() && onHost < all.size();
    return isWhole && workers.size() > 1 ? host : "";
  }
}
