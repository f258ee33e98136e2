package io.rollotel.benchmarks;

import java.util.Locale;

/**
 * A target for a figure: a row of a Markdown table that ends with "held" or "missed", by which
 * {@code benchmarks/run} finds it.
 */
public final class Target {

  /** The head of a table of such rows. */
  public static final String HEAD = "| target | is | |\n|---|---|---|";

  private Target() {}

  /**
   * Prints a target that a figure must not exceed; prints nothing if the figure was not measured
   * (NaN).
   */
  public static void most(String target, double value, double most) {
    most(target, value, most, "");
  }

  /** Prints the same, with a remark about the figure. */
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

  /** Prints a target that a count must reach. */
  public static void least(String target, long value, long least) {
    System.out.printf(
        Locale.ROOT, "| %s | %,d | %s |%n", target, value, value >= least ? "held" : "missed");
  }
}
