package io.rollotel.traces.analysis;

/**
 * How far a span may extend beyond a moment and still count as ended by then: a tenth of its time.
 * Ends are recorded slightly late and clocks differ. Without this, a whole phase would be
 * attributed to its parent because the next phase began a microsecond early.
 */
final class Tolerance {

  private Tolerance() {}

  static long nanos(long durationNanos) {
    return durationNanos / 10;
  }
}
