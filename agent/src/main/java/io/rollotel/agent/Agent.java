package io.rollotel.agent;

import java.lang.instrument.Instrumentation;
import java.util.Enumeration;
import java.util.Locale;

/**
 * The door: what {@code -javaagent} and {@code attach} call.
 *
 * <p>This class and {@link NotEnabled} are byte code of Java 8, so that an older JVM gets a line
 * instead of an error. Without {@code ROLL_OTEL_ENABLED} nothing further of the agent is loaded,
 * but for a line where something else of it is set.
 */
public final class Agent {

  static final String VARIABLE = "ROLL_OTEL_";
  static final String PROPERTY = "roll.otel.";
  static final String ENABLED = "ENABLED";

  private Agent() {}

  /** Before the application's main; never throws. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    try {
      String enabled = value(ENABLED, arguments);
      if (enabled.isEmpty()) {
        if (mentionsAnything(arguments)) {
          NotEnabled.say(arguments);
        }
        return;
      }
      if (isNo(enabled)) {
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

  /**
   * A setting from the environment, the system properties or the arguments, the first of them that
   * has it; empty if none has. The rest of the agent reads them in the same way, but it is not
   * loaded for this question.
   */
  static String value(String name, String arguments) {
    String property = PROPERTY + name.toLowerCase(Locale.ROOT).replace('_', '.');
    String value = trimmed(System.getenv(VARIABLE + name));
    if (value.isEmpty()) {
      value = trimmed(System.getProperty(property));
    }
    if (!value.isEmpty() || arguments == null || arguments.isEmpty()) {
      return value;
    }
    for (String argument : arguments.split(",", -1)) {
      int equals = argument.indexOf('=');
      String key = trimmed(equals < 0 ? argument : argument.substring(0, equals));
      key = key.toLowerCase(Locale.ROOT).replace('_', '.');
      if (property.equals(key) || property.equals(PROPERTY + key)) {
        value =
            equals < 0 ? "true" : trimmed(argument.substring(equals + 1)); // the last one counts
      }
    }
    return value;
  }

  private static String trimmed(String text) {
    return text == null ? "" : text.trim();
  }

  private static boolean isNo(String value) {
    return value.equalsIgnoreCase("false")
        || value.equals("0")
        || value.equalsIgnoreCase("no")
        || value.equalsIgnoreCase("off");
  }

  /** Asked with no class but this one: does anybody here think of tracing? */
  private static boolean mentionsAnything(String arguments) {
    if (!trimmed(arguments).isEmpty()) {
      return true;
    }
    for (String name : System.getenv().keySet()) {
      if (name.startsWith(VARIABLE)) {
        return true;
      }
    }
    Enumeration<Object> names = System.getProperties().keys(); // with the fewest classes
    while (names.hasMoreElements()) {
      if (names.nextElement().toString().startsWith(PROPERTY)) {
        return true;
      }
    }
    return false;
  }
}
