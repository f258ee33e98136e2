package io.rollotel.telemetry;

import java.util.Locale;

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

  private static int level() {
    String value = System.getProperty("roll.otel.log", System.getenv("ROLL_OTEL_LOG"));
    if (value == null) {
      return 1;
    }
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "off" -> 0;
      case "info", "debug" -> 2;
      default -> 1;
    };
  }
}
