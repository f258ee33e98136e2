package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * A line that begins with a part of another: a writer whose disk was full has left it, and appended
 * the next line to it once there was room. otelcol's file exporter does.
 *
 * <p>Within JSON's texts quotes are escaped, and no message of OTLP has such a field but the
 * request: so where its beginning stands again, a line begins.
 */
public final class TornLine {

  private static final byte[] BEGINNING = "{\"resource".getBytes(US_ASCII);

  private TornLine() {}

  /** Where the last whole line may begin in a line that is no request; 0 for nowhere. */
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
