package io.rollotel.traces.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The output of a report's text: it knows the maximum width of a line and, on request, colours some
 * lines.
 */
public final class ReportWriter extends PrintWriter {

  /** What stands out. */
  enum Colour {
    /** A question, or the headings of a table. */
    HEADING("\u001b[1m"),
    /** What costs most. */
    WORST("\u001b[33m"),
    /** What failed, died, or got slower. */
    BAD("\u001b[31m");

    private static final String END = "\u001b[0m";

    private final String begin;

    Colour(String begin) {
      this.begin = begin;
    }
  }

  /** The default width of a line. */
  public static final int COLUMNS = 100;

  private static final String INDENT = "    ";

  private final int columns;

  /**
   * Receives terminal control sequences, which must never contain recorded text. Null without
   * colours.
   */
  private final @Nullable Writer steered;

  /** Without colours, for lines of {@value #COLUMNS} columns. */
  public ReportWriter(Writer out) {
    this(out, COLUMNS, null);
  }

  /**
   * For lines of this width.
   *
   * @param out receives all text
   * @param steered receives the control sequences for colours, in turn with {@code out}, which may
   *     escape them in recorded text; null for no colours
   */
  public ReportWriter(Writer out, int columns, @Nullable Writer steered) {
    super(out, true);
    this.columns = columns;
    this.steered = steered;
  }

  /** How wide a line may be. */
  int columns() {
    return columns;
  }

  /** Prints a line in its colour; null for none. */
  void line(@Nullable Colour colour, String line) {
    steer(colour == null ? "" : colour.begin);
    print(line);
    steer(colour == null ? "" : Colour.END);
    println();
  }

  /** Prints a line; if it is too wide, the rest is indented below it. */
  void wrapped(String line) {
    wrapped(null, line);
  }

  /** The same in a colour; null for none. */
  void wrapped(@Nullable Colour colour, String line) {
    wrapped(colour, line, " ".repeat(indentOf(line)) + INDENT);
  }

  /** Prints a line; if it is too wide, the rest follows below it with this indent. */
  void hanging(String line, String indent) {
    wrapped(null, line, indent);
  }

  /** Prints formatted text of one line or several as {@link #wrapped(String)} does. */
  public void sentence(String format, Object... parts) {
    String text = String.format(Locale.ROOT, format, parts);
    for (String line : text.split(System.lineSeparator(), -1)) {
      wrapped(line);
    }
  }

  /** Prints how many rows are left out, if any, with the noun in the singular and the plural. */
  void more(long number, String one, String many) {
    if (number > 0) {
      String what = number == 1 ? one : many;
      String them = number == 1 ? "it" : "them";
      println("  and " + number + " more " + what + " (--json has " + them + ")");
    }
  }

  private void wrapped(@Nullable Colour colour, String line, String indent) {
    String rest = line;
    while (ShownWidth.of(rest) > columns) {
      int limit = ShownWidth.end(rest, columns);
      int end = rest.lastIndexOf(' ', limit);
      if (end <= indentOf(rest)) {
        end = rest.indexOf(' ', limit); // behind a word that is wider than the line
      }
      if (end < 0) {
        break;
      }
      line(colour, rest.substring(0, end).stripTrailing());
      rest = indent + rest.substring(end).stripLeading();
    }
    line(colour, rest);
  }

  private static int indentOf(String line) {
    return line.length() - line.stripLeading().length();
  }

  private void steer(String sequence) {
    if (steered != null) {
      try {
        steered.write(sequence);
      } catch (IOException e) {
        setError(); // as everything that is printed
      }
    }
  }
}
