package io.rollotel.traces.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A number, a number of bytes, or a time in milliseconds, within its bounds. */
final class Quantity extends Parser<Long> {

  // Not an enum, which would be one more class before main.
  private static final char NUMBER = 'n';
  private static final char BYTES = 'b';
  private static final char TIME = 't';

  private static final int MOST_DIGITS = 18;

  private final char kind;
  private final boolean orNone;
  private final long least;
  private final long most;

  private Quantity(char kind, boolean orNone, long least, long most, String takes) {
    super(takes);
    this.kind = kind;
    this.orNone = orNone;
    this.least = least;
    this.most = most;
  }

  static Quantity ofNumber(long least, long most, String takes) {
    return new Quantity(NUMBER, false, least, most, takes);
  }

  static Quantity ofBytes(long least, long most, String takes) {
    return new Quantity(BYTES, true, least, most, takes);
  }

  static Quantity ofMillis(long most, String takes) {
    return new Quantity(TIME, false, 0, most, takes);
  }

  // Parsed by hand: before main, a regular expression would load two dozen classes, and a double
  // eight.
  @Override
  @Nullable Long parse(String text) {
    int point = digits(text, 0);
    int end = point;
    if (kind == TIME && text.startsWith(".", point)) {
      end = digits(text, point + 1);
    }
    long factor = factor(text, end);
    if (point == 0 || point > MOST_DIGITS || end == point + 1 || factor < 0) {
      return null;
    }
    long number = Long.parseLong(text.substring(0, point));
    if (number > most / factor) {
      return null;
    }
    number *= factor;
    for (int i = point + 1; i < end; i++) {
      factor /= 10;
      number += (text.charAt(i) - '0') * factor;
    }
    boolean isWithin = number >= least && number <= most;
    return isWithin || (orNone && number == 0) ? (Long) number : null;
  }

  /** The end of the digits that begin here. */
  private static int digits(String text, int from) {
    int end = from;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  /** The factor of the unit after a number; below 0 if there is no such unit. */
  private long factor(String text, int numberEnd) {
    if (kind == NUMBER) {
      return numberEnd == text.length() ? 1 : -1;
    }
    String unit = text.substring(numberEnd).trim();
    if (kind == TIME) {
      return unit.isEmpty() || unit.equals("s") ? 1_000 : unit.equals("ms") ? 1 : -1;
    }
    unit = unit.toLowerCase(Locale.ROOT);
    if (unit.endsWith("b")) {
      unit = unit.substring(0, unit.length() - (unit.endsWith("ib") ? 2 : 1));
    }
    return switch (unit) {
      case "" -> 1;
      case "k" -> 1L << 10;
      case "m" -> 1L << 20;
      case "g" -> 1L << 30;
      default -> -1;
    };
  }

  @Override
  String shown(Long value) {
    return kind == TIME ? value + "ms" : value.toString();
  }
}
