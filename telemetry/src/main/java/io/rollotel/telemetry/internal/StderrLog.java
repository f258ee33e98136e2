package io.rollotel.telemetry.internal;

import java.util.Locale;

/** Writes lines to stderr, in the agent's form and by the agent's switch {@code ROLL_OTEL_LOG}. */
public final class StderrLog {

  private static final int LEVEL = level();

  private StderrLog() {}

  /** Writes a line unless the log is off. */
  public static void warn(String line) {
    if (LEVEL >= 1) {
      System.err.println("[roll-otel] " + line);
    }
  }

  /** Writes a line if the log level is {@code info} or {@code debug}. */
  public static void info(String line) {
    if (LEVEL >= 2) {
      System.err.println("[roll-otel] " + line);
    }
  }

  private static int level() {
    String value = EnvironmentSetting.read("ROLL_OTEL_LOG", "roll.otel.log");
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
