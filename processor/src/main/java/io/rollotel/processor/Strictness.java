package io.rollotel.processor;

import java.util.Locale;
import java.util.Map;

/**
 * Whether warnings are errors: {@code -Aroll.otel.strict=true}.
 *
 * @param isStrict false if the option is not given
 * @param complaint a message if the value is not understood, otherwise empty
 */
record Strictness(boolean isStrict, String complaint) {

  static final String OPTION = "roll.otel.strict";

  /** Reads the option. Without a value, as {@code -Aroll.otel.strict}, it means yes. */
  static Strictness of(Map<String, String> options) {
    if (!options.containsKey(OPTION)) {
      return new Strictness(false, "");
    }
    String value = options.get(OPTION); // null without a value
    String given = value == null ? "" : value.strip();
    return switch (given.toLowerCase(Locale.ROOT)) {
      case "", "true", "on", "yes", "1" -> new Strictness(true, "");
      case "false", "off", "no", "0" -> new Strictness(false, "");
      default ->
          new Strictness(
              false,
              "-A"
                  + OPTION
                  + "="
                  + given
                  + " is not understood: it takes true or false. Warnings stay warnings.");
    };
  }
}
