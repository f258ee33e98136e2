package io.rollotel.agent;

import java.lang.instrument.Instrumentation;
import java.util.Locale;

/**
 * The door: what {@code -javaagent} and {@code attach} call.
 *
 * <p>This class alone is byte code of Java 8, so that an older JVM gets a line instead of an error.
 * Without {@code ROLL_OTEL_ENABLED} nothing further of the agent is loaded.
 */
public final class Agent {

  private Agent() {}

  /** Before the application's main; never throws. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    try {
      if (!mentionsEnabled(arguments)) {
        return;
      }
      String version = System.getProperty("java.specification.version", "");
      if (isTooOld(version)) {
        System.err.println(
            "[roll-otel] Java "
                + version
                + " is too old for tracing (17 or newer is needed);"
                + " the program runs without it");
        return;
      }
      Inside.start(arguments, instrumentation);
    } catch (Throwable t) {
      System.err.println(
          "[roll-otel] the agent could not start, the program runs without it: " + t);
    }
  }

  /**
   * In a JVM that runs already: {@code attach}, {@code detach} and {@code doctor}; never throws.
   */
  public static void agentmain(String arguments, Instrumentation instrumentation) {
    try {
      String version = System.getProperty("java.specification.version", "");
      if (isTooOld(version)) {
        System.err.println("[roll-otel] Java " + version + " is too old for tracing");
        return;
      }
      Inside.attach(arguments, instrumentation);
    } catch (Throwable t) {
      System.err.println("[roll-otel] the agent could not be attached: " + t);
    }
  }

  /** Whether there is no tracing on this {@code java.specification.version}. */
  public static boolean isTooOld(String version) {
    return version.startsWith("1.") || Integer.parseInt(version) < 17;
  }

  /** The cheap question, asked with no class but this one: can tracing be enabled at all? */
  private static boolean mentionsEnabled(String arguments) {
    return System.getenv("ROLL_OTEL_ENABLED") != null
        || System.getProperty("roll.otel.enabled") != null
        || (arguments != null && arguments.toLowerCase(Locale.ROOT).contains("enabled"));
  }
}
