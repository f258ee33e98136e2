package io.rollotel.agent;

/** The command line: {@code java -jar roll-otel-agent.jar report …}, {@code attach …}. */
public final class Main {

  private Main() {}

  /** Hands over to {@code Commands}, which the class path does not see. */
  public static void main(String[] arguments) throws Exception {
    InnerLoader inner = InnerLoader.ofAgent();
    Thread.currentThread().setContextClassLoader(inner);
    Class.forName("io.rollotel.agent.command.Commands", true, inner)
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }
}
