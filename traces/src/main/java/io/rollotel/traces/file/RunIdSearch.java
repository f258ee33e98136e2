package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the ids of the runs in lines of OTLP/JSON, and when the first span started, as our
 * collector, otelcol and our senders write them, without reading the lines: by Horspool's search,
 * at the speed of the disk.
 */
final class RunIdSearch {

  private static final byte[] BEFORE_ID =
      "\"roll.run_id\",\"value\":{\"stringValue\":\"".getBytes(UTF_8);

  private static final byte[] BEFORE_START = "\"startTimeUnixNano\":\"".getBytes(UTF_8);

  // How far to advance, by the last byte compared.
  private static final int[] ID_SKIPS = skips(BEFORE_ID);
  private static final int[] START_SKIPS = skips(BEFORE_START);

  private static final int BUFFER_BYTES = 256 << 10;

  /** Longer texts are not run ids. */
  private static final int MOST_ID_BYTES = 1 << 10;

  /** More digits are no time of these centuries. */
  private static final int MOST_DIGITS = 19;

  /** In 2001. An earlier clock was never set, and would make the newest run the oldest. */
  private static final long EARLIEST_NANOS = 1_000_000_000_000_000_000L;

  private final Set<String> runs = new TreeSet<>();
  private long firstStartNanos = NamedRuns.UNKNOWN;

  private final byte[] buffer = new byte[BUFFER_BYTES + BEFORE_ID.length + MOST_ID_BYTES];

  private RunIdSearch() {}

  private static int[] skips(byte[] text) {
    int[] skips = new int[256];
    Arrays.fill(skips, text.length);
    for (int i = 0; i < text.length - 1; i++) {
      skips[text[i] & 0xff] = text.length - 1 - i;
    }
    return skips;
  }

  /** Searches a stream; reads it to its end. */
  static NamedRuns in(InputStream in) throws IOException {
    RunIdSearch search = new RunIdSearch();
    search.read(in);
    return new NamedRuns(search.runs, search.firstStartNanos);
  }

  private void read(InputStream in) throws IOException {
    int kept = 0;
    while (true) {
      int count = in.readNBytes(buffer, kept, buffer.length - kept);
      int length = kept + count;
      boolean isLast = length < buffer.length;
      // Texts that begin after this are searched with the next part, which contains their end.
      int end = isLast ? length : length - BEFORE_ID.length - MOST_ID_BYTES;
      searchIds(end, length);
      searchStarts(end, length);
      if (isLast) {
        return;
      }
      kept = length - end;
      System.arraycopy(buffer, end, buffer, 0, kept);
    }
  }

  private void searchIds(int end, int length) {
    int last = Math.min(end, length - BEFORE_ID.length + 1);
    for (int at = 0; at < last; at += ID_SKIPS[buffer[at + BEFORE_ID.length - 1] & 0xff]) {
      if (isAt(BEFORE_ID, at)) {
        addId(at + BEFORE_ID.length, length);
      }
    }
  }

  private void searchStarts(int end, int length) {
    int last = Math.min(end, length - BEFORE_START.length + 1);
    for (int at = 0; at < last; at += START_SKIPS[buffer[at + BEFORE_START.length - 1] & 0xff]) {
      if (isAt(BEFORE_START, at)) {
        addStart(at + BEFORE_START.length, length);
      }
    }
  }

  private boolean isAt(byte[] text, int at) {
    return Arrays.equals(buffer, at, at + text.length, text, 0, text.length);
  }

  private void addId(int from, int length) {
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

  /** A time that the end of the file cuts off would be too early. */
  private void addStart(int from, int length) {
    long nanos = 0;
    int at = from;
    while (at < length && at < from + MOST_DIGITS && buffer[at] >= '0' && buffer[at] <= '9') {
      nanos = nanos * 10 + buffer[at] - '0';
      at++;
    }
    if (at < length && buffer[at] == '"' && nanos >= EARLIEST_NANOS) {
      firstStartNanos = Math.min(firstStartNanos, nanos);
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
