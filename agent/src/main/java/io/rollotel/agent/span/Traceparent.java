package io.rollotel.agent.span;

import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sender's span, read from a carrier, with ids as numbers. If it is not sampled, its ids are
 * not computed, since no span is made below it.
 *
 * <p>Understands the format that senders write today: version 00, lower case, no flag but
 * "sampled", no tracestate, no baggage. The API's propagator reads anything else, and decides
 * whether it is valid.
 *
 * @param traceHigh zero, like the next two, if the sender is not sampled
 * @param unsampled the whole header if the sender is not sampled; null if it is
 */
public record Traceparent(long traceHigh, long traceLow, long spanId, @Nullable String unsampled) {

  private static final int LENGTH = 55;

  /** Eight characters at once. */
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final long EACH = 0x0101010101010101L;
  private static final long HIGHEST = 0x8080808080808080L;
  private static final long ZEROS = '0' * EACH;

  /**
   * Null if the propagator must read it. Never throws.
   *
   * @param carrier the result of {@code Propagation.carrier}
   */
  public static @Nullable Traceparent of(@Nullable Object carrier) {
    try {
      return carrier instanceof Map<?, ?> headers
              && headers.get("traceparent") instanceof String text
              && text.length() == LENGTH
              // Most carriers have only this header, and two lookups in a foreign map cost as much
              // as reading it.
              && (headers.size() == 1
                  || (headers.get("tracestate") == null && headers.get("baggage") == null))
          ? parse(text)
          : null;
    } catch (Throwable hostile) {
      TraceHook.passOnStop(hostile);
      return null; // the propagator throws again, and counts it
    }
  }

  private static @Nullable Traceparent parse(String text) {
    // Copying costs less than reading the text character by character. Other characters become
    // question marks.
    byte[] ascii = text.getBytes(StandardCharsets.ISO_8859_1);
    if (ascii.length != LENGTH
        || ascii[0] != '0'
        || ascii[1] != '0'
        || ascii[2] != '-'
        || ascii[35] != '-'
        || ascii[52] != '-'
        || ascii[53] != '0'
        || (ascii[54] != '0' && ascii[54] != '1')) {
      return null;
    }
    long a = (long) EIGHT.get(ascii, 3);
    long b = (long) EIGHT.get(ascii, 11);
    long c = (long) EIGHT.get(ascii, 19);
    long d = (long) EIGHT.get(ascii, 27);
    long e = (long) EIGHT.get(ascii, 36);
    long f = (long) EIGHT.get(ascii, 44);
    if (((strange(a) | strange(b) | strange(c)) | (strange(d) | strange(e) | strange(f))) != 0
        || ((a ^ ZEROS) | (b ^ ZEROS) | (c ^ ZEROS) | (d ^ ZEROS)) == 0
        || ((e ^ ZEROS) | (f ^ ZEROS)) == 0) {
      return null;
    }
    return ascii[54] == '0'
        ? new Traceparent(0, 0, 0, text)
        : new Traceparent(
            number(a) << 32 | number(b),
            number(c) << 32 | number(d),
            number(e) << 32 | number(f),
            null);
  }

  /** The trace's id in a valid header. */
  static String traceId(String text) {
    return text.substring(3, 35);
  }

  /**
   * Zero if all eight are hexadecimal digits: none has its highest bit, none is below '0' or, with
   * the bit of letters, 'a', and none above '9' or 'f'. A borrow from a neighbour shows at that
   * neighbour.
   */
  private static long strange(long eight) {
    long letters = eight >>> 6 & EACH;
    long above = eight - (ZEROS + letters * ('a' - '0'));
    long below = '9' * EACH + letters * ('f' - '9') - eight;
    return (eight | above | below) & HIGHEST;
  }

  /** Combines the digits' values in pairs, then in fours, then all. */
  private static long number(long eight) {
    long digits = eight - (eight >>> 6 & EACH) * ('a' - '0' - 10) - ZEROS;
    long twos = (digits | digits >>> 4) & 0x00ff00ff00ff00ffL;
    long fours = (twos | twos >>> 8) & 0x0000ffff0000ffffL;
    return (fours | fours >>> 16) & 0xffffffffL;
  }
}
