package io.rollotel.telemetry.internal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A setting from the environment or the system properties.
 *
 * <p>The agent follows the same rules in code of its own, {@code SettingSources} and {@code
 * Parser.flag}: this module must work without the agent and so cannot call it. A change here needs
 * the same change there.
 */
public final class EnvironmentSetting {

  private EnvironmentSetting() {}

  /**
   * Reads a setting; null if it is not set. The environment comes first, and a blank value counts
   * as not set.
   */
  public static @Nullable String read(String variable, String property) {
    String value = given(System.getenv(variable));
    return value == null ? given(System.getProperty(property)) : value;
  }

  private static @Nullable String given(@Nullable String value) {
    return value == null || value.isBlank() ? null : value;
  }

  /**
   * Whether a value means yes. Unknown words mean no here. The agent, which knows the setting's
   * default, warns and uses the default instead.
   */
  public static boolean isOn(String value) {
    return switch (value.trim().toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes", "on" -> true;
      default -> false;
    };
  }
}
