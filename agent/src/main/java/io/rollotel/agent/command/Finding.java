package io.rollotel.agent.command;

import io.rollotel.traces.report.PlainText;
import java.util.Locale;

/**
 * One result of {@code doctor}.
 *
 * @param what the subject of the check, in one or two words
 * @param detail the state, and what to do if it is not good
 */
record Finding(Grade grade, String what, String detail) {

  /** The state. */
  enum Grade {
    OK,
    WARN,
    FAIL
  }

  static Finding ok(String what, String detail) {
    return new Finding(Grade.OK, what, detail);
  }

  static Finding warn(String what, String detail) {
    return new Finding(Grade.WARN, what, detail);
  }

  static Finding fail(String what, String detail) {
    return new Finding(Grade.FAIL, what, detail);
  }

  /** Its line. It may quote the network; control characters must not reach the terminal. */
  String line() {
    String word = grade == Grade.FAIL ? "FAIL" : grade.name().toLowerCase(Locale.ROOT);
    return String.format(Locale.ROOT, "%-4s  %-9s  %s", word, what, PlainText.escaped(detail));
  }
}
