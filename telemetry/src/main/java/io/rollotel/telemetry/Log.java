package io.rollotel.telemetry;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Lines on stderr, in the agent's form and by the agent's switch {@code ROLL_OTEL_LOG}. */
final class Log {

  private static final int LEVEL = level();

  private Log() {}

  static void warn(String line) {
    if (LEVEL >= 1) {
      System.err.println("[roll-otel] " + line);
    }
  }

  static void info(String line) {
    if (LEVEL >= 2) {
      System.err.println("[roll-otel] " + line);
    }
  }

  /** As the agent reads it: the environment first, and an empty value is none. */
  static @Nullable String setting(String variable, String property) {
    String value = System.getenv(variable);
    return value == null || value.isBlank() ? System.getProperty(property) : value;
  }

  static boolean isOn(String value) {
    return switch (value.trim().toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes", "on" -> true;
      default -> false;
    };
  }

  private static int level() {
    String value = setting("ROLL_OTEL_LOG", "roll.otel.log");
    if (value == null) {
      return 1;
    }
    return switch (value.trim().toLowerCase(Locale.ROOT)) {
      case "off" -> 0;
      case "info", "debug" -> 2;
      default -> 1;
    };
  }
}
