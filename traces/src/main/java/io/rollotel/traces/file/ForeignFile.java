package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** Needs no quotes in a shell. */
  private static final Pattern PLAIN = Pattern.compile("[\\w./\\\\:+=@%-]+");

  private ForeignFile() {}

  /** What it probably is, as a sentence; null if it looks like a request in each line. */
  public static @Nullable String reason(Path file) {
    String head = head(file);
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
    return SNAKE_CASE.matcher(head(file)).lookingAt()
        ? "Its keys are in snake case, which OTLP does not allow. To rewrite them:\n"
            + "java -jar roll-otel-agent.jar merge -o NEW.jsonl "
            + quoted(file)
        : null;
  }

  private static String head(Path file) {
    if (!Files.isRegularFile(file)) {
      return ""; // a pipe can be read only once
    }
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = file.toString().endsWith(".gz") ? new GzipStream(in, HEAD_BYTES) : in) {
      return new String(plain.readNBytes(HEAD_BYTES), UTF_8).strip();
    } catch (IOException e) {
      return ""; // its readers say why
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
