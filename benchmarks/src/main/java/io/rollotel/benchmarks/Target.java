package io.rollotel.benchmarks;

import java.util.Locale;

/**
 * What a figure is to be, and whether it is: a row of a Markdown table that ends with "held" or
 * "missed", by which {@code benchmarks/run} finds it.
 */
public final class Target {

  /** The head of a table of such rows. */
  public static final String HEAD = "| target | is | |\n|---|---|---|";

  private Target() {}

  /** Prints that a figure is to be this much or less; nothing where it was not measured (NaN). */
  public static void most(String target, double value, double most) {
    most(target, value, most, "");
  }

  /** Prints the same, with what else there is to say of the figure. */
  public static void most(String target, double value, double most, String remark) {
    if (!Double.isNaN(value)) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %.3f%s | %s |%n",
          target,
          value,
          remark.isEmpty() ? "" : " (" + remark + ")",
          value <= most ? "held" : "missed");
    }
  }
}
