package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.Map;

/**
 * Copies the rows that the results of one part of a run's traces name into the columns of the
 * results of all, each once.
 */
final class RowCopies {

  private final Spans from;
  private final Spans to;
  private final Map<Integer, Integer> copies = new HashMap<>();

  RowCopies(Spans from, Spans to) {
    this.from = from;
    this.to = to;
    to.takeFailuresOf(from); // otherwise the parts would determine how a reason is shown
  }

  /** The number of the copy; a negative number is returned unchanged. */
  int of(int row) {
    return row < 0 ? row : copies.computeIfAbsent(row, one -> to.copy(from, one));
  }
}
