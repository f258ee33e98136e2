package io.rollotel.traces.file;

/** A number with its noun, as text: {@code 1 span}, {@code 2 spans}. */
public final class Count {

  private Count() {}

  /** Of a noun whose plural ends with an s. */
  public static String text(long number, String one) {
    return number + " " + one + (number == 1 ? "" : "s");
  }
}
