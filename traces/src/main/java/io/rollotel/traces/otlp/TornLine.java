package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;

/**
 * A line that begins with others, or a part of one: a writer with a full disk left that part, or a
 * line without its newline, and appended the next line once there was room. otelcol's file exporter
 * does that.
 *
 * <p>Quotes are escaped within JSON texts, and among OTLP's messages only the request has such a
 * field. So where its beginning occurs again, a line begins.
 */
public final class TornLine {

  private static final byte[] BEGINNING = "{\"resource".getBytes(US_ASCII);

  private TornLine() {}

  /** Where the lines, or their parts, begin in a line that is not a request: 0 and later places. */
  public static List<Integer> starts(byte[] line, int length) {
    List<Integer> starts = new ArrayList<>();
    starts.add(0);
    for (int at = 1; at < length - BEGINNING.length; at++) {
      if (line[at] == '{' && isBeginning(line, at)) {
        starts.add(at);
      }
    }
    return starts;
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
