package io.rollotel.benchmarks.peers;

/** The smallest program that no agent has anything to do in. */
public final class Unannotated {

  private Unannotated() {}

  /** Does nothing. */
  public static void main(String[] arguments) {}
}
