package io.rollotel.traces.report;

import io.rollotel.traces.profile.Cause;
import io.rollotel.traces.spans.TracedProcess;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;

/** Formats durations, times, counts and recorded text for people to read. */
final class TextFormat {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final int CAUSE_COLUMNS = 60;

  /** Behind the host's own name, which has a letter, in an instance {@code host:pid}. */
  private static final Pattern DOMAIN =
      Pattern.compile(
          "(?<= (?=[^ .:]{0,63}[A-Za-z])[\\w-]{1,63})(?:\\.[\\w-]+)+(?=:\\d+(?: \\(|$))");

  private TextFormat() {}

  /** Three digits and a unit, {@code 1.23 s}; from a minute on, two units, {@code 2m 05s}. */
  static String duration(long nanos) {
    if (nanos < 1000) {
      return nanos + " ns";
    }
    // A value that rounds to 1000 of a unit becomes 1 of the next: 999.6 µs is 1.00 ms.
    if (nanos < 999_500) {
      return threeDigits(nanos / 1e3) + " µs";
    }
    if (nanos < 999_500_000) {
      return threeDigits(nanos / 1e6) + " ms";
    }
    if (nanos < 59_950_000_000L) {
      return threeDigits(nanos / 1e9) + " s";
    }
    long seconds = Math.round(nanos / 1e9);
    if (seconds < 3600) {
      return String.format(Locale.ROOT, "%dm %02ds", seconds / 60, seconds % 60);
    }
    long minutes = Math.round(seconds / 60.0);
    return String.format(Locale.ROOT, "%dh %02dm", minutes / 60, minutes % 60);
  }

  private static String threeDigits(double value) {
    String format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, format, value);
  }

  /** A time in UTC to the second. */
  static String time(long epochNanos) {
    return TIME.format(Instant.ofEpochSecond(0, epochNanos));
  }

  /** As {@link #time}; 0 is unknown. */
  static String start(long epochNanos) {
    return epochNanos == 0 ? "unknown" : time(epochNanos);
  }

  /** Whole percents, and a decimal below ten. */
  static String percent(double share) {
    double percents = share * 100;
    boolean isSmall = Math.abs(percents) < 9.95 && percents != 0;
    return String.format(Locale.ROOT, isSmall ? "%.1f%%" : "%.0f%%", percents);
  }

  /** A reward or similar number with two decimals, a very small or large one as a power of ten. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    double size = Math.abs(value);
    boolean isFar = size >= 999_999.5 || (size < 0.01 && size != 0);
    return String.format(Locale.ROOT, isFar ? "%.1e" : "%.2f", value);
  }

  /** A rate in the unit of time in which it happens at least once: {@code 3.50 an hour}. */
  static String rate(double perMinute) {
    double perHour = perMinute * 60;
    if (perMinute >= 0.995) {
      return number(perMinute) + " a minute";
    }
    return perHour >= 0.995 ? number(perHour) + " an hour" : number(perHour * 24) + " a day";
  }

  /** A number and its noun, given in the singular and in the plural. */
  static String count(long number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }

  /**
   * Text from a file within a width, shortened in the middle; control characters and line breaks
   * become {@code ?}.
   */
  static String text(String text, int width) {
    String kept = text;
    if (ShownWidth.of(text) > width) {
      int head = (width - 1) / 2;
      int tail = width - 2 - head;
      kept =
          text.substring(0, ShownWidth.end(text, head))
              + ".."
              + text.substring(ShownWidth.start(text, tail));
    }
    StringBuilder harmless = new StringBuilder(kept.length());
    for (int i = 0; i < kept.length(); i++) {
      char c = kept.charAt(i);
      harmless.append(isHarmless(c) ? c : '?');
    }
    return harmless.toString();
  }

  /** A process within a width: if it is too long, first without the domain of its host. */
  static String process(TracedProcess process, int width) {
    String label = process.label();
    return text(
        ShownWidth.of(label) > width ? DOMAIN.matcher(label).replaceFirst("") : label, width);
  }

  /** A method without its package; a class begins with a capital, or with a dollar sign. */
  static String method(String method) {
    return method.replaceAll("\\b(?:[a-z_][\\w$]*\\.)+(?=[A-Z$])", "");
  }

  /** Why something takes longer, as the end of a sentence. */
  static String cause(Cause cause) {
    String what =
        cause.heapPercent() > 0
            ? " (heap " + cause.heapPercent() + "% full)"
            : cause.what().isEmpty() ? "" : ": " + name(method(cause.what()), CAUSE_COLUMNS);
    return percent(cause.share()) + " of the difference is " + cause.activity().words() + what;
  }

  /** The beginning of such a text, for the most important part. */
  static String beginning(String text, int width) {
    boolean isWhole = ShownWidth.of(text) <= width;
    return text(isWhole ? text : text.substring(0, ShownWidth.end(text, width - 2)) + "..", width);
  }

  /** As {@link #text}, with a dash for an empty one. */
  static String name(String text, int width) {
    return text.isEmpty() ? "-" : text(text, width);
  }

  /** A dash for an empty text. */
  static String orDash(String text) {
    return text.isEmpty() ? "-" : text;
  }

  /**
   * A span's name within a width, a dash for an empty one. Class and method matter most, so
   * packages are shortened: each becomes its first letter, from the left and as far as necessary,
   * {@code c.a.rl.workers.ActorWorker.generate}; then they are omitted.
   */
  static String spanName(String name, int width) {
    int end = packageEnd(name);
    int columns = ShownWidth.of(name);
    if (end == 0 || columns <= width) {
      return name(name, width);
    }
    StringBuilder shorter = new StringBuilder();
    int at = 0;
    while (at < end && columns > width) {
      String part = name.substring(at, name.indexOf('.', at));
      String first = part.isEmpty() ? "." : part.substring(0, part.offsetByCodePoints(0, 1));
      shorter.append(first).append('.');
      columns += ShownWidth.of(first) - ShownWidth.of(part);
      at += part.length() + 1;
    }
    shorter.append(name, at, name.length());
    return text(columns <= width ? shorter.toString() : name.substring(end), width);
  }

  /**
   * The end of the packages before a class, which begins with a capital or a dollar sign. If no
   * part does, the last two are kept, such as module and function in Python.
   */
  private static int packageEnd(String name) {
    int lastButOne = 0;
    int last = 0;
    for (int i = 0; i <= name.length(); i++) {
      char c = i < name.length() ? name.charAt(i) : ' ';
      if (i == last && (Character.isUpperCase(c) || c == '$')) {
        return i;
      }
      if (c == '.' && i > last) {
        lastButOne = last;
        last = i + 1;
      } else if (!Character.isJavaIdentifierPart(c)) {
        return i == last ? 0 : lastButOne;
      }
    }
    return 0;
  }

  private static boolean isHarmless(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
