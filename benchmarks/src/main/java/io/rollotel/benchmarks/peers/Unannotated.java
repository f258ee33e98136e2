package io.rollotel.benchmarks.peers;

/** The smallest program, in which agents find nothing to do. */
public final class Unannotated {

  private Unannotated() {}

  /** Does nothing. */
  public static void main(String[] arguments) {}
}
