package io.rollotel.traces.report;

/**
 * How large a page may become. Base64 makes four bytes of three, so that a page has room for its
 * columns and details, its texts and its program in 20 MB.
 *
 * @param items of the timeline
 * @param columnBytes of the compressed columns, details among them
 * @param minDetailBytes what details have even if the columns are larger
 * @param steps bars of the chart, each a step or several
 * @param names listed
 * @param workers listed
 * @param tagBytes kept in memory while the page is made
 */
record PageLimits(
    int items,
    long columnBytes,
    long minDetailBytes,
    int steps,
    int names,
    int workers,
    long tagBytes) {

  /** A file of 20 MB at most. */
  static final PageLimits FILE =
      new PageLimits(1_200_000, 13_000_000, 1_000_000, 2000, 5000, 5000, 256 << 20);

  /** A page that a running process serves: small, since that has better to do. */
  static final PageLimits LIVE =
      new PageLimits(150_000, 3_000_000, 300_000, 1000, 1000, 1000, 32 << 20);
}
