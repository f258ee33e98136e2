package io.rollotel.agent;

/** The command line: {@code java -jar roll-otel-agent.jar report …}. */
public final class Main {

  private Main() {}

  /** Hands over to {@code io.rollotel.traces.cli}. */
  public static void main(String[] arguments) throws Exception {
    InnerLoader inner = InnerLoader.ofAgent();
    Thread.currentThread().setContextClassLoader(inner);
    Class.forName("io.rollotel.traces.cli.Main", true, inner)
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }
}
