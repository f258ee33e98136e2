package io.rollotel.traces.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A way to parse a text.
 *
 * @param <T> the type of the result
 */
public abstract class Parser<T> {

  private final String takes;

  /**
   * A parser of this package.
   *
   * @param takes a description of the accepted texts
   */
  Parser(String takes) {
    this.takes = takes;
  }

  /** Null if the text is invalid. The text is not blank, and has no surrounding space. */
  abstract @Nullable T parse(String text);

  /** A value for users, in a form that can be parsed. */
  String shown(T value) {
    return value.toString();
  }

  final String takes() {
    return takes;
  }

  /** On or off. */
  public static Parser<Boolean> flag() {
    return new Words<>(
        List.of("true", "1", "yes", "on", "false", "0", "no", "off"),
        List.of(true, true, true, true, false, false, false, false),
        "1, true, yes or on; 0, false, no or off");
  }

  /** One of an enum's constants, by their names in any case. */
  public static <E extends Enum<E>> Parser<E> choice(E[] constants) {
    List<String> words = new ArrayList<>();
    for (E constant : constants) {
      words.add(constant.name().toLowerCase(Locale.ROOT));
    }
    return new Words<>(words, List.of(constants), String.join(", ", words));
  }

  /**
   * One of some words, in any case.
   *
   * @param takes the description of the accepted words, for error messages
   */
  public static Parser<String> word(String takes, String... words) {
    return new Words<>(List.of(words), List.of(words), takes);
  }

  /** Any text. */
  public static Parser<String> text() {
    return new Text(null, "any text");
  }

  /** A text that matches a regular expression. */
  public static Parser<String> text(String form, String takes) {
    return new Text(form, takes);
  }

  /** Names with commas between them. */
  public static Parser<List<String>> names() {
    return new Names();
  }

  /** A number without a unit. */
  public static Parser<Long> number(long least, long most, String takes) {
    return Quantity.ofNumber(least, most, takes);
  }

  /** A size such as {@code 64m} or {@code 1 GiB}, in bytes. */
  public static Parser<Long> bytes(long most) {
    return Quantity.ofBytes(
        0, most, "a number of bytes such as 1000000 or 64m, " + most + " at most");
  }

  /** A size, or 0 for none. */
  public static Parser<Long> bytesOrNone(long least, long most, String takes) {
    return Quantity.ofBytes(least, most, takes);
  }

  /** A time such as {@code 0.5} or {@code 500ms}, in milliseconds. */
  public static Parser<Long> seconds(long mostMillis, String takes) {
    return Quantity.ofMillis(mostMillis, takes);
  }
}
