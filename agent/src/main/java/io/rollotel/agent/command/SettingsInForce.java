package io.rollotel.agent.command;

import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.settings.SettingsTable;
import io.rollotel.traces.settings.EndpointText;
import io.rollotel.traces.settings.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The settings in force and the source of each. Values that may be secret are not shown. */
final class SettingsInForce {

  /** The source of a setting that is not set, by {@link Settings#source}. */
  private static final String DEFAULT = "default";

  private static final Pattern SECRET = Pattern.compile("header|token|secret|password|key");
  private static final Pattern USER = Pattern.compile("(?<=://).*@");

  private final Settings settings;

  SettingsInForce(Settings settings) {
    this.settings = settings;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    ours().forEach((name, value) -> findings.add(finding(Setting.VARIABLE_PREFIX, name, value)));
    otel().forEach((property, value) -> findings.add(finding("", property, value)));
    return findings;
  }

  private Finding finding(String prefix, String name, String value) {
    String source = settings.source(name);
    String shown = source.equals(DEFAULT) ? value : shown(name, value);
    return Finding.ok("setting", prefix + name + "=" + shown + " (" + source + ")");
  }

  private Map<String, String> ours() {
    Map<String, String> values = new TreeMap<>();
    for (Setting<?> setting : SettingsTable.all()) {
      String inForce = settings.inForce(setting);
      String usual = setting.shownDefault().replace("`", "");
      // As docs/configuration.md has it. The directory depends on where the process runs.
      boolean isUsual =
          settings.source(setting.name()).equals(DEFAULT)
              && !usual.isEmpty()
              && setting != SettingsTable.OUTPUT_DIR;
      values.put(setting.name(), isUsual ? usual : inForce);
    }
    return values;
  }

  /** The OpenTelemetry settings that are set, by their property names. */
  private Map<String, String> otel() {
    Map<String, String> given = new TreeMap<>();
    for (String name : System.getenv().keySet()) {
      if (name.startsWith("OTEL_")) {
        add(name.toLowerCase(Locale.ROOT).replace('_', '.'), given);
      }
    }
    System.getProperties().stringPropertyNames().forEach(name -> add(name, given));
    settings.otelArguments().forEach(all -> all.keySet().forEach(name -> add(name, given)));
    return given;
  }

  private void add(String property, Map<String, String> given) {
    String value = property.startsWith("otel.") ? settings.otel(property) : null;
    if (value != null) {
      given.put(property, value);
    }
  }

  static String shown(String name, String value) {
    return SECRET.matcher(name.toLowerCase(Locale.ROOT)).find()
        ? "(hidden)"
        : withoutSecrets(value);
  }

  /** URLs without users and passwords, whatever characters these contain. */
  private static String withoutSecrets(String value) {
    return EndpointText.split(value).stream()
        .map(url -> USER.matcher(url).replaceFirst("(hidden)@"))
        .collect(Collectors.joining(","));
  }
}
