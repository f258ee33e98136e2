package io.rollotel.agent.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a setting's text comes from: user code, environment, system properties, agent arguments.
 * What the text means is the business of {@link Settings}.
 */
final class SettingSources {

  static final String ENVIRONMENT_PREFIX = "ROLL_OTEL_";
  private static final String PROPERTY_PREFIX = "roll.otel.";

  private final Map<String, String> environment;
  private final Map<String, String> arguments = new TreeMap<>();

  /** What user code set by {@code Telemetry.init}: stronger than everything else. */
  private final Map<String, String> set = new ConcurrentHashMap<>();

  SettingSources(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Takes the agent's arguments, {@code key=value} each. */
  void parse(String[] keysAndValues) {
    for (String argument : keysAndValues) {
      if (argument.isBlank()) {
        continue;
      }
      int equals = argument.indexOf('=');
      String key = (equals < 0 ? argument : argument.substring(0, equals)).trim();
      String value = equals < 0 ? "true" : argument.substring(equals + 1).trim();
      // Whoever writes OUTPUT_DIR or ROLL_OTEL_OUTPUT_DIR means output.dir.
      key = key.toLowerCase(Locale.ROOT).replace('_', '.');
      boolean full = key.startsWith("otel.") || key.startsWith(PROPERTY_PREFIX);
      arguments.put(full ? key : PROPERTY_PREFIX + key, value);
    }
  }

  /** The agent's arguments are stronger than everything from now on. */
  void preferArguments() {
    set.putAll(arguments);
  }

  /** Takes a setting from user code, under its property name. */
  void set(String property, String value) {
    set.put(property, value);
  }

  /** These sources with what user code sets. */
  SettingSources with(Map<String, String> fromUserCode) {
    SettingSources more = new SettingSources(environment);
    more.arguments.putAll(arguments);
    more.set.putAll(set);
    more.set.putAll(fromUserCode);
    return more;
  }

  /** What user code set under this property name. */
  @Nullable String fromUserCode(String property) {
    return set.get(property);
  }

  /** What was given for one of {@link Settings#NAMES}. */
  @Nullable String value(String name) {
    String property = property(name);
    return firstGiven(
        set.get(property),
        environment.get(ENVIRONMENT_PREFIX + name),
        System.getProperty(property),
        arguments.get(property));
  }

  /** An {@code otel.*} setting, in the SDK's order. */
  @Nullable String otel(String property) {
    return firstGiven(
        set.get(property),
        System.getProperty(property),
        environment.get(otelVariable(property)),
        arguments.get(property));
  }

  /** Another variable of the environment. */
  @Nullable String environment(String name) {
    return environment.get(name);
  }

  /** What was set by argument or by user code, {@code key=value} each. */
  List<String> given() {
    Map<String, String> given = new TreeMap<>(arguments);
    given.putAll(set);
    return given.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
  }

  /** The {@code otel.*} settings that the SDK does not see by itself, the weaker first. */
  List<Map<String, String>> otelArguments() {
    Map<String, String> weak = new TreeMap<>(arguments);
    weak.keySet().removeIf(key -> !key.startsWith("otel."));
    Map<String, String> strong = new TreeMap<>(set);
    strong.keySet().removeIf(key -> !key.startsWith("otel."));
    return List.of(weak, strong);
  }

  /** See {@link Settings#otelNames}. */
  Collection<String> otelNames() {
    Set<String> names = new TreeSet<>();
    addOtelNames(environment.keySet(), names);
    addOtelNames(System.getProperties().stringPropertyNames(), names);
    addOtelNames(arguments.keySet(), names);
    addOtelNames(set.keySet(), names);
    return names;
  }

  /** The SDK takes them in any case, with dots, underscores or hyphens. */
  private static void addOtelNames(Collection<String> given, Collection<String> names) {
    for (String name : given) {
      if (name.regionMatches(true, 0, "otel", 0, 4)) {
        names.add(name.toLowerCase(Locale.ROOT).replace('_', '.').replace('-', '.'));
      }
    }
  }

  /** See {@link Settings#source}. */
  String source(String name) {
    boolean otel = name.startsWith("otel.");
    String property = otel ? name : property(name);
    String variable = otel ? otelVariable(name) : ENVIRONMENT_PREFIX + name;
    boolean inEnvironment = firstGiven(environment.get(variable)) != null;
    if (firstGiven(set.get(property)) != null) {
      return "argument";
    }
    if (firstGiven(System.getProperty(property)) != null && (otel || !inEnvironment)) {
      return "property";
    }
    if (inEnvironment) {
      return "environment";
    }
    return firstGiven(arguments.get(property)) != null ? "argument" : "default";
  }

  /** A line for each name of ours that there is not, wherever it was given. */
  List<String> unknown() {
    List<String> lines = new ArrayList<>();
    for (String name : environment.keySet()) {
      if (name.startsWith(ENVIRONMENT_PREFIX)) {
        addIfUnknown(name, name.substring(ENVIRONMENT_PREFIX.length()), lines);
      }
    }
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(PROPERTY_PREFIX)) {
        // A property in another form than its own is not found.
        String variable = variable(name);
        addIfUnknown(name, name.equals(property(variable)) ? variable : name, lines);
      }
    }
    for (String name : arguments.keySet()) {
      if (name.startsWith(PROPERTY_PREFIX)) {
        addIfUnknown(
            "agent argument " + name.substring(PROPERTY_PREFIX.length()), variable(name), lines);
      }
    }
    return lines;
  }

  private static void addIfUnknown(String shown, String name, List<String> lines) {
    if (Settings.NAMES.contains(name)) {
      return;
    }
    String nearest = NearestName.of(name, Settings.NAMES);
    lines.add(
        "unknown setting "
            + shown
            + "; the nearest known one is "
            + (shown.startsWith(PROPERTY_PREFIX)
                ? property(nearest)
                : ENVIRONMENT_PREFIX + nearest));
  }

  /** An empty value is none. */
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

  static String property(String name) {
    return PROPERTY_PREFIX + name.toLowerCase(Locale.ROOT).replace('_', '.');
  }

  private static String variable(String property) {
    return property.substring(PROPERTY_PREFIX.length()).toUpperCase(Locale.ROOT).replace('.', '_');
  }
}
