package io.rollotel.traces.kit;

/**
 * How many random cases a test runs: a quarter of them, so that the build stays short, or all with
 * {@code -Dcases=all}, as in continuous integration.
 */
public final class Cases {

  private static final boolean ARE_ALL = "all".equals(System.getProperty("cases"));

  private Cases() {}

  /** As many as run, of so many. */
  public static int of(int all) {
    return ARE_ALL ? all : all / 4;
  }
}
