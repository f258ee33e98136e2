package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * A line that begins with a part of another: a writer with a full disk left that part, and appended
 * the next line once there was room. otelcol's file exporter does that.
 *
 * <p>Quotes are escaped within JSON texts, and among OTLP's messages only the request has such a
 * field. So where its beginning occurs again, a line begins.
 */
public final class TornLine {

  private static final byte[] BEGINNING = "{\"resource".getBytes(US_ASCII);

  private TornLine() {}

  /** Where the last complete line may begin in a line that is not a request; 0 for nowhere. */
  public static int restOf(byte[] line, int length) {
    for (int at = length - BEGINNING.length - 1; at > 0; at--) {
      if (line[at] == '{' && isBeginning(line, at)) {
        return at;
      }
    }
    return 0;
  }

  private static boolean isBeginning(byte[] line, int at) {
    for (int i = 1; i < BEGINNING.length; i++) {
      if (line[at + i] != BEGINNING[i]) {
        return false;
      }
    }
    byte next = line[at + BEGINNING.length];
    return next == 'S' || next == 'M' || next == 'L'; // of spans, metrics, logs
  }
}
