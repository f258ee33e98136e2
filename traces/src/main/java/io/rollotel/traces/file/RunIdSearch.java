package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Set;

/**
 * Finds the ids of the runs in lines of OTLP/JSON, as our collector, otelcol and our senders write
 * them, without reading the lines: by Horspool's search, at the speed of the disk.
 */
final class RunIdSearch {

  private static final byte[] BEFORE =
      "\"roll.run_id\",\"value\":{\"stringValue\":\"".getBytes(UTF_8);

  /** How far to advance, by the last byte compared. */
  private static final int[] SKIPS = skips();

  private static final int BUFFER_BYTES = 256 << 10;

  /** Longer texts are not run ids. */
  private static final int MOST_ID_BYTES = 1 << 10;

  private RunIdSearch() {}

  private static int[] skips() {
    int[] skips = new int[256];
    Arrays.fill(skips, BEFORE.length);
    for (int i = 0; i < BEFORE.length - 1; i++) {
      skips[BEFORE[i] & 0xff] = BEFORE.length - 1 - i;
    }
    return skips;
  }

  /** Adds all ids in a stream; reads it to its end. */
  static void addTo(Set<String> runs, InputStream in) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES + BEFORE.length + MOST_ID_BYTES];
    int kept = 0;
    while (true) {
      int count = in.readNBytes(buffer, kept, buffer.length - kept);
      int length = kept + count;
      boolean isLast = length < buffer.length;
      // Texts that begin after this are searched with the next part, which contains their end.
      int end = isLast ? length - BEFORE.length : length - BEFORE.length - MOST_ID_BYTES;
      int at = 0;
      while (at <= end) {
        int lastByte = buffer[at + BEFORE.length - 1] & 0xff;
        if (Arrays.equals(buffer, at, at + BEFORE.length, BEFORE, 0, BEFORE.length)) {
          add(runs, buffer, at + BEFORE.length, length);
        }
        at += SKIPS[lastByte];
      }
      if (isLast) {
        return;
      }
      kept = length - at;
      System.arraycopy(buffer, at, buffer, 0, kept);
    }
  }

  private static void add(Set<String> runs, byte[] buffer, int from, int length) {
    int end = Math.min(length, from + MOST_ID_BYTES);
    for (int i = from; i < end; i++) {
      if (buffer[i] == '\\') {
        i++;
      } else if (buffer[i] == '"') {
        runs.add(unescaped(new String(buffer, from, i - from, UTF_8)));
        return;
      }
    }
  }

  /** As in recorders, profiles and settings. */
  private static String unescaped(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      at++;
      if (c != '\\' || at == text.length()) {
        plain.append(c);
        continue;
      }
      char escaped = text.charAt(at);
      at++;
      int simple = "bfnrt".indexOf(escaped);
      if (simple >= 0) {
        plain.append("\b\f\n\r\t".charAt(simple));
      } else if (escaped == 'u' && at + 4 <= text.length() && isHex(text, at)) {
        plain.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
        at += 4;
      } else {
        plain.append(escaped);
      }
    }
    return plain.toString();
  }

  private static boolean isHex(String text, int from) {
    for (int i = from; i < from + 4; i++) {
      if (Character.digit(text.charAt(i), 16) < 0) {
        return false;
      }
    }
    return true;
  }
}
