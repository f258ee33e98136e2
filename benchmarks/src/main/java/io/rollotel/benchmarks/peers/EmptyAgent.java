package io.rollotel.benchmarks.peers;

/** The least that an agent costs. */
public final class EmptyAgent {

  private EmptyAgent() {}

  /** Does nothing. */
  public static void premain(String arguments) {}
}
