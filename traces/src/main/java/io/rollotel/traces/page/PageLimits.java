package io.rollotel.traces.page;

import java.io.Serializable;

/**
 * How large a page may become.
 *
 * @param bytes of the page's data; details get the room that everything else leaves. 0 means no
 *     details
 * @param minDetailBytes the minimum for details
 * @param items of the timeline
 * @param steps bars of the chart, each a step or several
 * @param names listed
 * @param calls paths of them that are listed
 * @param workers listed
 * @param agentRuns listed; their steps are ten times as many
 * @param tagBytes kept in memory while the page is made
 */
record PageLimits(
    long bytes,
    long minDetailBytes,
    int items,
    int steps,
    int names,
    int calls,
    int workers,
    int agentRuns,
    long tagBytes)
    implements Serializable {

  /** With markup, style and script a file of less than 20 MB. */
  static final PageLimits FILE =
      new PageLimits(19_500_000, 500_000, 1_000_000, 2000, 5000, 4000, 5000, 2000, 256 << 20);

  /** A run beside another one. */
  static final PageLimits COMPARED =
      new PageLimits(19_500_000, 500_000, 700_000, 2000, 4000, 3000, 4000, 2000, 256 << 20);

  /** The run with which it is compared, in the same page. */
  static final PageLimits BASELINE =
      new PageLimits(0, 0, 200_000, 2000, 2000, 0, 2000, 0, 256 << 20);

  /** A page that a running process serves: small, to save its resources. */
  static final PageLimits LIVE =
      new PageLimits(4_000_000, 300_000, 150_000, 1000, 1000, 1000, 1000, 500, 32 << 20);

  /** How much the attributes of a shown span may take if the run is not in memory. */
  static final int DETAIL_TAG_BYTES = 600;

  /** How many spans are shown individually at most if the run is not in memory. */
  private static final long MOST_DETAILS = 200_000;

  /** The heap for such a span, and the share of the heap that the rest of the report leaves. */
  private static final long HEAP_BYTES = 5_000;

  /** How many spans of a run that is not in memory this JVM can show individually. */
  static long detailsInMemory() {
    return Math.min(MOST_DETAILS, Runtime.getRuntime().maxMemory() / HEAP_BYTES);
  }

  /** Pairs of a call path and a step, or of a path and a worker. */
  int slices() {
    return items / 10;
  }

  /** Cells of the heat map, for each of its metrics. */
  int cells() {
    return Math.max(1, items / 2);
  }
}
