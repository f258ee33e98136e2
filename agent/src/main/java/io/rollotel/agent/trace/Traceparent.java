package io.rollotel.agent.trace;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sender's span, read out of a carrier without a copy of its text. The JIT compiler makes no
 * object of it.
 *
 * <p>Knows what senders write today: version 00, lower case, no flag but "sampled", no tracestate,
 * no baggage. What is anything else the API's propagator reads, and says whether it is valid.
 */
record Traceparent(long traceHigh, long traceLow, long spanId, boolean sampled) {

  private static final int LENGTH = 55;

  /** Of a hexadecimal digit, by its character; negative for what is none. */
  private static final byte[] DIGITS = new byte[128];

  static {
    Arrays.fill(DIGITS, (byte) -1);
    for (int digit = 0; digit < 16; digit++) {
      DIGITS["0123456789abcdef".charAt(digit)] = (byte) digit;
    }
  }

  /**
   * Null where the propagator has to be asked. Never throws.
   *
   * @param carrier what {@code TraceContext.carrier} gave
   */
  static @Nullable Traceparent of(@Nullable Object carrier) {
    try {
      return carrier instanceof Map<?, ?> headers
              && headers.get("traceparent") instanceof String text
              && text.length() == LENGTH
              && headers.get("tracestate") == null
              && headers.get("baggage") == null
          ? parse(text)
          : null;
    } catch (Throwable hostile) {
      return null; // throws again where it is counted
    }
  }

  private static @Nullable Traceparent parse(String text) {
    if (text.charAt(0) != '0'
        || text.charAt(1) != '0'
        || text.charAt(2) != '-'
        || text.charAt(35) != '-'
        || text.charAt(52) != '-'
        || text.charAt(53) != '0') {
      return null;
    }
    long traceHigh = 0;
    long traceLow = 0;
    long spanId = 0;
    int signs = 0;
    for (int i = 0; i < 16; i++) {
      int high = digit(text.charAt(3 + i));
      int low = digit(text.charAt(19 + i));
      int span = digit(text.charAt(36 + i));
      signs |= high | low | span;
      traceHigh = traceHigh << 4 | high;
      traceLow = traceLow << 4 | low;
      spanId = spanId << 4 | span;
    }
    char flags = text.charAt(54);
    return signs < 0 || (traceHigh | traceLow) == 0 || spanId == 0 || (flags != '0' && flags != '1')
        ? null
        : new Traceparent(traceHigh, traceLow, spanId, flags == '1');
  }

  private static int digit(char c) {
    return c < 128 ? DIGITS[c] : -1;
  }
}
