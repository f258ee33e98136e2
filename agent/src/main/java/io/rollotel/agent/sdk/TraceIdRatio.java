package io.rollotel.agent.sdk;

import io.opentelemetry.api.internal.OtelEncodingUtils;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the SDK's {@code traceidratio} sampler does, in the terms of OpenTelemetry's consistent
 * probability sampling: the SDK's sampler does not record its probability, so readers could not
 * know how many traces one stands for.
 *
 * <p>The sampler takes a trace if the last 63 bits of its id, as a number, are below a bound. The
 * specification takes a trace if 56 random bits are at least a threshold. So the random bits here
 * are those of the id, counted from the other end; they are stated, since they are not the id's
 * own.
 *
 * @param bound the first number that is not taken
 */
record TraceIdRatio(long bound) {

  /** Where the second half of a trace's id begins. */
  private static final int TRACE_LOW_AT = 16;

  private static final int RANDOM_DIGITS = 14;
  private static final long ALL_ONES = (1L << 56) - 1;

  /** The id has 63 bits that decide, the specification 56. */
  private static final int BITS_LESS = 7;

  private static final String DESCRIPTION = "TraceIdRatioBased{";

  /**
   * The ratio by which a sampler takes roots; null if it is not the SDK's {@code traceidratio} or
   * {@code parentbased_traceidratio}, or takes all or nothing.
   *
   * @param configured the setting {@code otel.traces.sampler.arg}, if given
   */
  static @Nullable TraceIdRatio of(Sampler sampler, @Nullable String configured) {
    String description = String.valueOf(sampler.getDescription());
    int start = description.indexOf(DESCRIPTION);
    int end = description.indexOf('}', start);
    if (start < 0 || end < 0) {
      return null;
    }
    // The description has six decimals, which can be too few.
    String described = description.substring(start + DESCRIPTION.length(), end);
    TraceIdRatio exact = configured == null ? null : of(sampler, number(configured));
    return exact == null ? of(sampler, number(described)) : exact;
  }

  private static @Nullable TraceIdRatio of(Sampler sampler, double ratio) {
    if (!(ratio > 0 && ratio < 1)) {
      return null;
    }
    Sampler roots = Sampler.traceIdRatioBased(ratio);
    return sampler.equals(roots) || sampler.equals(Sampler.parentBased(roots))
        ? new TraceIdRatio((long) (ratio * Long.MAX_VALUE)) // as the SDK computes it
        : null;
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /**
   * Whether the sampler takes the trace if its share is halved so many times.
   *
   * @param traceId of a trace that it takes
   */
  boolean takes(String traceId, int halvings) {
    return decidingBits(traceId) < bound >> halvings;
  }

  /** The entry for the state of a trace that {@link #takes it takes}. */
  String entry(String traceId, int halvings) {
    String threshold = digits(fromTheEnd((bound >> halvings) - 1));
    String random = digits(fromTheEnd(decidingBits(traceId)));
    return "th:" + withoutTrailingZeros(threshold) + ";rv:" + random;
  }

  private static long decidingBits(String traceId) {
    return Math.abs(OtelEncodingUtils.longFromBase16String(traceId, TRACE_LOW_AT)) & Long.MAX_VALUE;
  }

  private static long fromTheEnd(long number) {
    return ALL_ONES - (number >> BITS_LESS);
  }

  private static String digits(long value) {
    return HexFormat.of().toHexDigits(value, RANDOM_DIGITS);
  }

  private static String withoutTrailingZeros(String digits) {
    int end = digits.length();
    while (end > 1 && digits.charAt(end - 1) == '0') {
      end--;
    }
    return digits.substring(0, end);
  }
}
