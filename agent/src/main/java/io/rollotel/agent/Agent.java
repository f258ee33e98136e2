package io.rollotel.agent;

import java.lang.instrument.Instrumentation;
import java.util.Enumeration;
import java.util.Locale;

/**
 * The entry point for {@code -javaagent} and {@code attach}.
 *
 * <p>This class and {@link NotEnabled} are byte code of Java 8, so that an older JVM gets a line
 * instead of an error. Without {@code ROLL_OTEL_ENABLED}, no other class of the agent is loaded,
 * unless another of its settings is set: then one line says so.
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
   * Called in a running JVM, by {@code attach}, {@code detach} and {@code doctor}; never throws.
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
   * A setting from the environment, the system properties or the arguments; the first source that
   * has it wins. Empty if none has it. The rest of the agent reads them in the same way, but it is
   * not loaded for this question.
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

  /** Whether any setting of tracing is set. Loads no other class. */
  private static boolean mentionsAnything(String arguments) {
    if (!trimmed(arguments).isEmpty()) {
      return true;
    }
    for (String name : System.getenv().keySet()) {
      if (name.startsWith(VARIABLE)) {
        return true;
      }
    }
    Enumeration<Object> names = System.getProperties().keys(); // this loads the fewest classes
    while (names.hasMoreElements()) {
      if (names.nextElement().toString().startsWith(PROPERTY)) {
        return true;
      }
    }
    return false;
  }
}
