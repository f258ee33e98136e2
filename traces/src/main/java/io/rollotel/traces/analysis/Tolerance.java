package io.rollotel.traces.analysis;

/**
 * How far a span may reach beyond a moment and count as ended by then: a tenth of its time. Ends
 * are recorded a little late and clocks differ. Without this the whole of a phase would go to its
 * parent because the next one began a microsecond early.
 */
final class Tolerance {

  private Tolerance() {}

  static long nanos(long durationNanos) {
    return durationNanos / 10;
  }
}
