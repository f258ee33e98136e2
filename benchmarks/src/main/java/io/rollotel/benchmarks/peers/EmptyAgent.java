package io.rollotel.benchmarks.peers;

/** What every agent costs at least. */
public final class EmptyAgent {

  private EmptyAgent() {}

  /** Does nothing. */
  public static void premain(String arguments) {}
}
