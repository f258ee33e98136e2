package io.rollotel.traces.spans;

import java.util.Arrays;

/**
 * The spans of each of many runs without those of the others. The arrays of an analysis are as long
 * as the spans that it gets, so a thousand runs would otherwise cost a thousand times all spans.
 *
 * <p>For runs that have been {@link Spans#joinRuns joined}, so that no trace is in two, and whose
 * times are final.
 */
public final class RunParts {

  private final Spans all;

  /** Of each row; see {@link SpanTree#rowsAbove}. */
  private final int[] above;

  /** By run, and in each by number. */
  private final int[] rows;

  /** The start of each run's rows, and at last the end. */
  private final int[] starts;

  /** Notes which spans each run has. */
  public RunParts(Spans all) {
    this.all = all;
    this.above = SpanTree.rowsAbove(all);
    this.rows = new int[all.size()];
    this.starts = new int[all.runs().size() + 1];
    for (int row = 0; row < rows.length; row++) {
      starts[all.run(row) + 1]++;
    }
    Arrays.parallelPrefix(starts, Integer::sum);
    int[] next = starts.clone();
    for (int row = 0; row < rows.length; row++) {
      rows[next[all.run(row)]++] = row;
    }
  }

  /**
   * A copy of a run's spans, for its totals. Names, processes, runs and failures have the same
   * numbers as in all spans, which must not get further ones while the copy is used. Attributes and
   * threads are not copied.
   */
  public Spans of(int run) {
    return all.part(new RowPlaces(Arrays.copyOfRange(rows, starts[run], starts[run + 1])), above);
  }
}
