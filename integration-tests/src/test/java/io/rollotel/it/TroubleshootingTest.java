package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Documentation of the warnings: docs/troubleshooting.md quotes each, and nothing else. */
class TroubleshootingTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]*`) \\|");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** Code that logs a warning, or passes a line to code that does. */
  private static final Pattern WARNING =
      Pattern.compile(
          "(?:Log\\s*\\.\\s*warn(?:Once)?|\\b(?:complaints|warn|log)\\s*\\.\\s*(?:add|accept)"
              + "|\\btell(?=\\(\\s*isWarning))\\(");

  private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** The agent, and of the traces module what runs inside the process that is traced. */
  private static final List<String> SOURCES =
      List.of(
          "agent/src/main/java",
          "telemetry/src/main/java",
          "traces/src/main/java/io/rollotel/traces/collector",
          "traces/src/main/java/io/rollotel/traces/file");

  private static final String MESSAGES = "## Messages of the agent";

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String folder : SOURCES) {
      try (Stream<Path> files = Files.walk(ProgramRun.ROOT.resolve(folder))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          all.append(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
        }
      }
    }
    return all.toString();
  }

  private static List<String> documented() throws IOException {
    String text = Files.readString(ProgramRun.ROOT.resolve("docs/troubleshooting.md"));
    List<String> messages = new ArrayList<>();
    Matcher row = ROW.matcher(text.substring(text.indexOf(MESSAGES)));
    while (row.find()) {
      QUOTED.matcher(row.group(1)).results().forEach(quoted -> messages.add(quoted.group(1)));
    }
    return messages;
  }

  @Test
  void everyMessageOfTheDocument_isOneOfTheAgent() throws IOException {
    String sources = sources();
    assertThat(documented()).hasSizeGreaterThan(50).allMatch(sources::contains);
  }

  @Test
  void everyWarningWithAText_isInTheDocument() throws IOException {
    String sources = sources();
    List<String> documented = documented();
    List<String> missing = new ArrayList<>();
    Matcher warning = WARNING.matcher(sources);
    while (warning.find()) {
      String argument = argument(sources, warning.end());
      boolean hasText = TEXT.matcher(argument).results().anyMatch(t -> t.group(1).contains(" "));
      if (hasText && documented.stream().noneMatch(argument::contains)) {
        missing.add(argument.strip());
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Up to the parenthesis that closes the call. */
  private static String argument(String source, int from) {
    int depth = 1;
    boolean isText = false;
    for (int at = from; at < source.length(); at++) {
      char c = source.charAt(at);
      if (isText) {
        at += c == '\\' ? 1 : 0;
        isText = c != '"';
      } else if (c == '"') {
        isText = true;
      } else if (c == '(') {
        depth++;
      } else if (c == ')' && --depth == 0) {
        return source.substring(from, at);
      }
    }
    return source.substring(from);
  }
}
