package io.rollotel.traces.otlp;

import java.util.HexFormat;

/**
 * How many traces one represents, by the threshold that OpenTelemetry's consistent sampling writes
 * into a trace's state: {@code ot=th:c} is one in four.
 */
public final class TraceWeight {

  private static final String ENTRY = "ot=";

  /** Our own entry, followed by the id of the trace that a span was thinned out with. */
  private static final String TRACE = "roll=";

  private static final int TRACE_DIGITS = 32;
  private static final String THRESHOLD = "th:";

  /** Of the threshold, of 56 bits. */
  private static final int MOST_DIGITS = 14;

  private static final long ALL = 1L << (4 * MOST_DIGITS);

  private TraceWeight() {}

  /** 1 if the state has no valid threshold. */
  public static double of(String traceState) {
    for (String entry : traceState.split(",", -1)) {
      String ours = entry.trim();
      if (ours.startsWith(ENTRY)) {
        for (String part : ours.substring(ENTRY.length()).split(";", -1)) {
          if (part.startsWith(THRESHOLD)) {
            return ofThreshold(part.substring(THRESHOLD.length()));
          }
        }
      }
    }
    return 1;
  }

  /** The state of a trace that represents this many, 1 or more. */
  public static String state(double traces) {
    long rejected = Math.min(ALL - 1, ALL - Math.round(ALL / traces));
    String digits = HexFormat.of().toHexDigits(rejected, MOST_DIGITS);
    int end = MOST_DIGITS;
    while (end > 1 && digits.charAt(end - 1) == '0') {
      end--;
    }
    return ENTRY + THRESHOLD + digits.substring(0, end);
  }

  /** The trace that a span was thinned out with before a merge; empty if it is its own. */
  static String traceId(String traceState) {
    String id = traceState.startsWith(TRACE) ? traceState.substring(TRACE.length()) : "";
    int end = id.indexOf(',');
    id = end < 0 ? id : id.substring(0, end);
    return id.length() == TRACE_DIGITS && id.chars().allMatch(HexFormat::isHexDigit) ? id : "";
  }

  /** The state of a span that is moved to another trace; the first of several moves counts. */
  public static String moved(String traceState, String fromTraceId) {
    if (!traceId(traceState).isEmpty()) {
      return traceState;
    }
    return TRACE + fromTraceId + (traceState.isEmpty() ? "" : "," + traceState);
  }

  private static double ofThreshold(String digits) {
    if (digits.isEmpty() || digits.length() > MOST_DIGITS) {
      return 1;
    }
    try {
      long rejected =
          HexFormat.fromHexDigitsToLong(digits) << (4 * (MOST_DIGITS - digits.length()));
      return (double) ALL / (ALL - rejected);
    } catch (IllegalArgumentException noDigits) {
      return 1;
    }
  }
}
