package io.rollotel.agent;

import io.rollotel.agent.loader.InnerLoader;

/** The command line: {@code java -jar roll-otel-agent.jar report …}, {@code attach …}. */
public final class Main {

  private Main() {}

  /** Calls the agent's inside, which contains the commands and their libraries. */
  public static void main(String[] arguments) throws Exception {
    InnerLoader inner = InnerLoader.ofCommand();
    Thread.currentThread().setContextClassLoader(inner);
    inner.agent().command(arguments);
  }
}
