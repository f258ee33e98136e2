package io.rollotel.agent.settings;

import io.rollotel.traces.settings.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where a setting's text comes from: user code, environment, system properties, agent arguments.
 * {@link Setting} interprets the text. Immutable: the system properties are those at the time of
 * its creation.
 */
final class SettingSources {

  private static final String OTEL = "otel";
  private static final String OTEL_VARIABLE = "OTEL_";
  private static final String UNKNOWN_ARGUMENT = "unknown agent argument ";
  private static final String NEAREST = "; the nearest known one is ";

  private final Map<String, String> environment;

  // Not a sorted map, whose classes nothing else loads before main.
  private final Map<String, String> properties;
  private final Map<String, String> arguments;

  /** The settings of {@code Telemetry.init} in user code, which override all others. */
  private final Map<String, String> set;

  private SettingSources(
      Map<String, String> environment, Map<String, String> arguments, Map<String, String> set) {
    this.environment = environment;
    this.properties = properties();
    this.arguments = arguments;
    this.set = set;
  }

  /**
   * The sources of a JVM that starts.
   *
   * @param keysAndValues the agent's arguments, {@code key=value} each
   */
  static SettingSources of(String[] keysAndValues, Map<String, String> environment) {
    return new SettingSources(environment, arguments(keysAndValues), Map.of());
  }

  /** The sources of a running JVM: the agent is enabled, and its arguments override everything. */
  static SettingSources attached(String[] keysAndValues, Map<String, String> environment) {
    Map<String, String> arguments = arguments(keysAndValues);
    Map<String, String> set = new HashMap<>();
    set.put(SettingsTable.ENABLED.property(), "true");
    set.putAll(arguments);
    return new SettingSources(environment, arguments, set);
  }

  private static Map<String, String> arguments(String[] keysAndValues) {
    Map<String, String> arguments = new HashMap<>();
    for (String argument : keysAndValues) {
      if (argument.isBlank()) {
        continue;
      }
      int equals = argument.indexOf('=');
      String key = (equals < 0 ? argument : argument.substring(0, equals)).trim();
      String value = equals < 0 ? "true" : argument.substring(equals + 1).trim();
      // OUTPUT_DIR and ROLL_OTEL_OUTPUT_DIR are accepted for output.dir.
      key = key.toLowerCase(Locale.ROOT).replace('_', '.');
      boolean full = key.startsWith("otel.") || key.startsWith(Setting.PROPERTY_PREFIX);
      arguments.put(full ? key : Setting.PROPERTY_PREFIX + key, value);
    }
    return arguments;
  }

  /** Those of the system properties that may be settings. */
  private static Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(Setting.PROPERTY_PREFIX) || isOtel(name)) {
        String value = System.getProperty(name);
        if (value != null) {
          properties.put(name, value);
        }
      }
    }
    return properties;
  }

  /** These sources with the system properties as they are now. */
  SettingSources again() {
    return new SettingSources(environment, arguments, set);
  }

  /** These sources with what user code sets. */
  SettingSources with(Map<String, String> fromUserCode) {
    Map<String, String> more = new HashMap<>(set);
    more.putAll(fromUserCode);
    return new SettingSources(environment, arguments, more);
  }

  /** What user code set under this property name. */
  @Nullable String fromUserCode(String property) {
    return set.get(property);
  }

  /** The given value of a setting. */
  @Nullable String value(String name) {
    String property = Setting.property(name);
    return firstGiven(
        set.get(property),
        environment.get(Setting.VARIABLE_PREFIX + name),
        properties.get(property),
        arguments.get(property));
  }

  /** An {@code otel.*} setting, in the SDK's order. */
  @Nullable String otel(String property) {
    return firstGiven(
        set.get(property),
        properties.get(property),
        environment.get(otelVariable(property)),
        arguments.get(property));
  }

  /** Another variable of the environment. */
  @Nullable String environment(String name) {
    return environment.get(name);
  }

  /** The settings from arguments or user code, each as {@code key=value}. */
  List<String> given() {
    Map<String, String> given = new TreeMap<>(arguments);
    given.putAll(set);
    return given.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
  }

  /** The {@code otel.*} settings that the SDK does not read itself, in increasing precedence. */
  List<Map<String, String>> otelArguments() {
    Map<String, String> weak = new TreeMap<>(arguments);
    weak.entrySet().removeIf(entry -> !isGivenOtel(entry));
    Map<String, String> strong = new TreeMap<>(set);
    strong.entrySet().removeIf(entry -> !isGivenOtel(entry));
    return List.of(weak, strong);
  }

  private static boolean isGivenOtel(Map.Entry<String, String> setting) {
    return setting.getKey().startsWith("otel.") && !setting.getValue().isBlank();
  }

  /** See {@link Settings#otelNames}. */
  Collection<String> otelNames() {
    Set<String> names = new TreeSet<>();
    addOtelNames(environment.keySet(), names);
    addOtelNames(properties.keySet(), names);
    addOtelNames(arguments.keySet(), names);
    addOtelNames(set.keySet(), names);
    return names;
  }

  /** The SDK takes them in any case, with dots, underscores or hyphens. */
  private static void addOtelNames(Collection<String> given, Collection<String> names) {
    for (String name : given) {
      if (isOtel(name)) {
        names.add(name.toLowerCase(Locale.ROOT).replace('_', '.').replace('-', '.'));
      }
    }
  }

  private static boolean isOtel(String name) {
    return name.regionMatches(true, 0, OTEL, 0, OTEL.length());
  }

  /** See {@link Settings#source}. */
  String source(String name) {
    boolean otel = name.startsWith("otel.");
    String property = otel ? name : Setting.property(name);
    String variable = otel ? otelVariable(name) : Setting.VARIABLE_PREFIX + name;
    boolean inEnvironment = firstGiven(environment.get(variable)) != null;
    if (firstGiven(set.get(property)) != null) {
      return "argument";
    }
    if (firstGiven(properties.get(property)) != null && (otel || !inEnvironment)) {
      return "property";
    }
    if (inEnvironment) {
      return "environment";
    }
    return firstGiven(arguments.get(property)) != null ? "argument" : "default";
  }

  /**
   * A line for each unknown name with this project's prefix, from any source, and for each variable
   * that is almost one of OpenTelemetry's.
   */
  List<String> unknown() {
    List<String> lines = new ArrayList<>();
    OtelNames otelNames = null;
    for (String name : environment.keySet()) {
      if (name.startsWith(Setting.VARIABLE_PREFIX)) {
        addIfUnknown(
            "unknown setting " + name, name.substring(Setting.VARIABLE_PREFIX.length()), lines);
      } else if (name.startsWith(OTEL_VARIABLE)) {
        otelNames = otelNames == null ? new OtelNames() : otelNames;
        String meant = otelNames.meant(name);
        if (meant != null) {
          lines.add("unknown setting " + name + NEAREST + meant);
        }
      }
    }
    for (String name : properties.keySet()) {
      if (name.startsWith(Setting.PROPERTY_PREFIX)) {
        // A property in any other form is not found.
        String variable = variable(name);
        addIfUnknown(
            "unknown setting " + name,
            name.equals(Setting.property(variable)) ? variable : name,
            lines);
      }
    }
    for (String name : arguments.keySet()) {
      if (name.startsWith(Setting.PROPERTY_PREFIX)) {
        String shown = name.substring(Setting.PROPERTY_PREFIX.length());
        addIfUnknown(UNKNOWN_ARGUMENT + shown, variable(name), lines);
      }
    }
    return lines;
  }

  /** A setting's name in the form in which the unknown one is shown. */
  private static String alike(String shown, String name) {
    if (shown.startsWith("unknown setting " + Setting.VARIABLE_PREFIX)) {
      return Setting.VARIABLE_PREFIX + name;
    }
    String property = Setting.property(name);
    return shown.startsWith(UNKNOWN_ARGUMENT)
        ? property.substring(Setting.PROPERTY_PREFIX.length())
        : property;
  }

  private static void addIfUnknown(String shown, String name, List<String> lines) {
    if (SettingsTable.knows(name)) {
      return;
    }
    String nearest = SettingsTable.nearest(name);
    lines.add(
        shown
            + (nearest == null
                ? "; docs/configuration.md lists all settings"
                : NEAREST + alike(shown, nearest)));
  }

  /** An empty value counts as unset. */
  private static @Nullable String firstGiven(@Nullable String... values) {
    for (String value : values) {
      if (value != null && !value.isBlank()) {
        return value.trim();
      }
    }
    return null;
  }

  static String otelVariable(String property) {
    return property.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  private static String variable(String property) {
    return property
        .substring(Setting.PROPERTY_PREFIX.length())
        .toUpperCase(Locale.ROOT)
        .replace('.', '_');
  }
}
