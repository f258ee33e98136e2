package io.rollotel.examples.cartpole;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What makes each call of a worker take longer. None changes an answer.
 *
 * <p>As a text, by which it reaches the worker's process, it is a factor or the name of a cause.
 */
sealed interface Slowness
    permits SlownessByCpu, SlownessByFile, SlownessByGc, SlownessByLock, SlownessBySleep {

  /** The text that makes no call longer. */
  String NONE = "1";

  /** The possible texts. */
  Pattern TEXT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)|gc|lock|cpu|io");

  double MAX_FACTOR = 1000;

  /** Prolongs a call that has taken this long, according to the slowness. */
  void prolong(long tookNanos);

  /**
   * The slowness of that text.
   *
   * @throws IllegalArgumentException with the end of a message for the user, if the text is none
   */
  static Slowness of(String text) {
    return switch (checked(text)) {
      case "gc" -> new SlownessByGc();
      case "lock" -> new SlownessByLock();
      case "cpu" -> new SlownessByCpu();
      case "io" -> new SlownessByFile();
      default -> new SlownessBySleep(Double.parseDouble(text));
    };
  }

  /**
   * Returns the text.
   *
   * @throws IllegalArgumentException with the end of a message for the user, if the text is none
   */
  static String checked(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a factor or gc|lock|cpu|io, not " + text);
    }
    if (matcher.group(1) != null) {
      double factor = Double.parseDouble(text);
      if (factor < 1 || factor > MAX_FACTOR) {
        throw new IllegalArgumentException("a factor from 1 to 1000, not " + text);
      }
    }
    return text;
  }

  /** The JVM options for this slowness: collections need a small heap. */
  static List<String> jvmOptions(String text) {
    return text.equals("gc") ? SlownessByGc.JVM_OPTIONS : List.of();
  }
}
