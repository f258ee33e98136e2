package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.util.List;

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
 * @param areAlone whether the others did not get slower; otherwise they did, but far less
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
    boolean areAlone,
    double pValue) {

  /** How much longer the spans of one of these workers take in a step than before, together. */
  long excessNanos() {
    return spansInStep * (afterNanos - beforeNanos);
  }
}
