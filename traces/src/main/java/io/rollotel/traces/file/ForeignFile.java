package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Recognises files of other forms than a request in each line, by their beginning. */
public final class ForeignFile {

  private static final int HEAD_BYTES = 8 << 10;

  private static final String KEY = "\"resource_?(Spans|Metrics|Logs)\"";

  private static final Pattern OTLP = Pattern.compile("(?i)\\[?\\s*\\{\\s*" + KEY);

  private static final Pattern SNAKE_CASE = Pattern.compile("\\{\\s*\"resource_spans\"");

  /** The request's array, or the first in it, is in an indented line. */
  private static final Pattern PRETTY_PRINTED =
      Pattern.compile("(?i)\\{\\s*\\n\\s*" + KEY + "|\\{\\s*" + KEY + "\\s*:\\s*\\[\\s*\\n[ \\t]");

  private static final String GZIP = "\u001f\u008b";

  /** The beginnings of files of zip, bzip2, xz and zstd. */
  private static final List<String> COMPRESSED =
      List.of("PK\3\4", "BZh", "\u00fd7zXZ", "(\u00b5/\u00fd");

  private static final String TAR = "ustar";
  private static final int TAR_AT = 257;

  /** As Windows PowerShell writes what a command prints. */
  private static final Pattern UTF_16 =
      Pattern.compile("\u00ff\u00fe|\u00fe\u00ff|\\{\0[^\0]\0|\0\\{\0[^\0]");

  /** Needs no quotes in a shell. */
  private static final Pattern PLAIN = Pattern.compile("[\\w./\\\\:+=@%-]+");

  private ForeignFile() {}

  /** What it probably is, as a sentence; null if it looks like a request in each line. */
  public static @Nullable String reason(Path file) {
    byte[] bytes = bytes(file);
    String ofBytes = ofBytes(bytes, file);
    if (ofBytes != null) {
      return ofBytes;
    }
    String head = new String(bytes, UTF_8).strip();
    if (PRETTY_PRINTED.matcher(head).lookingAt()) {
      return "It is pretty-printed, and each request must be one line: jq -c . " + quoted(file);
    }
    if (OTLP.matcher(head).lookingAt()) {
      return head.startsWith("[") ? ofArray(file) : null;
    }
    if (head.contains("\"traceEvents\"") || (head.startsWith("[") && head.contains("\"ph\""))) {
      return "This looks like the JSON of Perfetto or Chrome, not OTLP.";
    }
    if (head.contains("\"data\"") && head.contains("\"traceID\"")) {
      return "This looks like Jaeger's JSON, not OTLP.";
    }
    return head.startsWith("[") ? ofArray(file) : null;
  }

  /**
   * What to do about keys in snake case: requests in such a file can be read, but not its spans.
   * Null if it has none.
   */
  public static @Nullable String snakeCase(Path file) {
    return SNAKE_CASE.matcher(new String(bytes(file), UTF_8).strip()).lookingAt()
        ? "Its keys are in snake case, which OTLP does not allow. To rewrite them:\n"
            + "java -jar roll-otel-agent.jar merge -o NEW.jsonl "
            + quoted(file)
        : null;
  }

  /** For a compressed file, and for text that is not in UTF-8. */
  private static @Nullable String ofBytes(byte[] head, Path file) {
    String text = new String(head, ISO_8859_1);
    if (text.startsWith(GZIP) && !file.toString().endsWith(".gz")) {
      return "It is compressed with gzip: its name must end with .gz.";
    }
    if (COMPRESSED.stream().anyMatch(text::startsWith) || text.startsWith(TAR, TAR_AT)) {
      return "It is an archive, or compressed by another program than gzip: unpack it first.";
    }
    return UTF_16.matcher(text).lookingAt()
        ? "It is in UTF-16, and must be in UTF-8: iconv -f "
            + (text.startsWith("{") ? "UTF-16LE" : text.startsWith("\0") ? "UTF-16BE" : "UTF-16")
            + " -t UTF-8 "
            + quoted(file)
        : null;
  }

  private static byte[] bytes(Path file) {
    if (!Files.isRegularFile(file)) {
      return new byte[0]; // a pipe can be read only once
    }
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = file.toString().endsWith(".gz") ? new GzipStream(in, HEAD_BYTES) : in) {
      return plain.readNBytes(HEAD_BYTES);
    } catch (IOException e) {
      return new byte[0]; // its readers say why
    }
  }

  private static String ofArray(Path file) {
    return "It is an array, and each request must be one line: jq -c '.[]' " + quoted(file);
  }

  /** As an argument in a shell. */
  private static String quoted(Path file) {
    String name = file.toString();
    return PLAIN.matcher(name).matches() ? name : "'" + name.replace("'", "'\\''") + "'";
  }
}
