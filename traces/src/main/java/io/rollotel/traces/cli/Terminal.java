package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rollotel.traces.report.ReportWriter;
import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a command prints: whether to a terminal, and how wide a line may be. Asks the system only
 * on demand.
 */
final class Terminal {

  /** The width of a table that contains only numbers. */
  static final int LEAST_COLUMNS = 60;

  static final int MOST_COLUMNS = 1000;

  private static final File KEYBOARD = new File("/dev/tty");
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final long PATIENCE_MILLIS = 200;

  private final Map<String, String> environment;
  private final IntPredicate isTerminal;
  private final Supplier<String> size;

  /**
   * A terminal.
   *
   * @param isTerminal whether a file descriptor leads to it
   * @param size its rows and columns; empty if unknown
   */
  Terminal(Map<String, String> environment, IntPredicate isTerminal, Supplier<String> size) {
    this.environment = environment;
    this.isTerminal = isTerminal;
    this.size = size;
  }

  /** The terminal of this process. */
  static Terminal ofThisProcess() {
    return new Terminal(System.getenv(), Terminal::leadsToTerminal, Terminal::askForSize);
  }

  /** A variable of the environment; null if it is not set, or blank. */
  @Nullable String variable(String name) {
    String value = environment.getOrDefault(name, "");
    return value.isBlank() ? null : value.trim();
  }

  /** Whether the output goes to a terminal. */
  boolean isOutput() {
    return isTerminal.test(1);
  }

  /** Whether errors go to a terminal. */
  boolean isErrors() {
    return isTerminal.test(2);
  }

  /** Whether the user would like colours: see no-color.org. */
  boolean wantsColours() {
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb")
        && isOutput();
  }

  /** How wide a line may be: by {@code COLUMNS}, else by the terminal. */
  int columns() {
    int columns = number(environment.getOrDefault("COLUMNS", ""));
    if (columns == 0 && isOutput()) {
      columns = number(size.get().replaceFirst("^\\d+ ", ""));
    }
    return columns == 0
        ? ReportWriter.COLUMNS
        : Math.min(Math.max(columns, LEAST_COLUMNS), MOST_COLUMNS);
  }

  private static int number(String text) {
    return text.strip().matches("\\d{1,6}") ? Integer.parseInt(text.strip()) : 0;
  }

  private static boolean leadsToTerminal(int descriptor) {
    try {
      String open = Files.readSymbolicLink(DESCRIPTORS.resolve("" + descriptor)).toString();
      return open.startsWith("/dev/pts/") || open.matches("/dev/(tty|console).*");
    } catch (IOException | UnsupportedOperationException notLinux) {
      return hasConsole();
    }
  }

  /**
   * Up to Java 21, there is a console if input and output are terminals; later there always is one.
   */
  @SuppressWarnings("SystemConsoleNull") // the later method is called below
  private static boolean hasConsole() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException before22) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** Rows and columns, as {@code stty} prints them; empty if it takes too long. */
  private static String askForSize() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(KEYBOARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        if (stty.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
          return new String(stty.getInputStream().readAllBytes(), US_ASCII).strip();
        }
      } finally {
        stty.destroyForcibly();
      }
    } catch (IOException e) {
      // There is none.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "";
  }
}
