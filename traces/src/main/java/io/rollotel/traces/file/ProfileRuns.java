package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the ids of runs in Flight Recorder's files, without reading their events: a text there has
 * its encoding and its length in front, so an id is not found within a longer one.
 */
final class ProfileRuns {

  private static final int BUFFER_BYTES = 256 << 10;

  // The possible encodings of a text.
  private static final int AS_UTF_8 = 3;
  private static final int AS_CHARS = 4;
  private static final int AS_LATIN_1 = 5;

  /** The run of each encoded form of its id, byte by byte. */
  private final Map<String, String> runs = new HashMap<>();

  private int longest;

  /** A search for these. */
  ProfileRuns(Set<String> known) {
    for (String run : known) {
      add(encoded(AS_UTF_8, run, UTF_8), run);
      add(encoded(AS_LATIN_1, run, ISO_8859_1), run);
      add(chars(run), run);
    }
  }

  private void add(String bytes, String run) {
    runs.put(bytes, run);
    longest = Math.max(longest, bytes.length());
  }

  private static String encoded(int encoding, String text, Charset charset) {
    byte[] bytes = text.getBytes(charset);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(encoding);
    number(out, bytes.length);
    out.writeBytes(bytes);
    return out.toString(ISO_8859_1);
  }

  private static String chars(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(AS_CHARS);
    number(out, text.length());
    text.chars().forEach(c -> number(out, c));
    return out.toString(ISO_8859_1);
  }

  /** Seven bits a byte, the lowest first. */
  private static void number(ByteArrayOutputStream out, int number) {
    int rest = number;
    while (rest > 0x7f) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  /** The runs that a file names. */
  Set<String> in(Path file) throws IOException {
    Set<String> found = new TreeSet<>();
    try (InputStream in =
        new BufferedInputStream(Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS))) {
      String end = "";
      for (byte[] read = in.readNBytes(BUFFER_BYTES);
          read.length > 0;
          read = in.readNBytes(BUFFER_BYTES)) {
        String part = end + new String(read, ISO_8859_1);
        runs.forEach(
            (bytes, run) -> {
              if (part.contains(bytes)) {
                found.add(run);
              }
            });
        end = part.substring(Math.max(0, part.length() - longest));
      }
    }
    return found;
  }
}
