package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.settings.SettingsTable;
import io.rollotel.traces.settings.Setting;
import java.io.File;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Ray's configuration of a driver: the options that the job's workers start with. */
final class RayJob {

  private static final String ENV_VARS = "env_vars";
  private static final String OTLP = "OTEL_EXPORTER_OTLP_";
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  /** Settings of a single process. */
  private static final List<String> OWN = List.of("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES");

  /** Settings that the driver may have received other than by its environment. */
  private static final List<String> PROPERTIES =
      List.of(
          "otel.exporter.otlp.endpoint",
          "otel.exporter.otlp.headers",
          "otel.traces.exporter",
          "otel.traces.sampler",
          "otel.traces.sampler.arg");

  private final Object config;

  RayJob(Object config) {
    this.config = config;
  }

  boolean isDriverOfCluster() throws ReflectiveOperationException {
    return field("workerMode").equals("DRIVER") && field("runMode").equals("CLUSTER");
  }

  private String field(String name) throws ReflectiveOperationException {
    return String.valueOf(config.getClass().getField(name).get(config));
  }

  /**
   * Adds the agent. The user's own values take precedence: this agent among the JVM options, and
   * each environment variable.
   *
   * @param variables the variables that the run's processes need
   * @return the JVM options
   */
  List<String> prepare(Settings settings, Map<String, String> variables, List<String> jvmOptions)
      throws ReflectiveOperationException, URISyntaxException {
    List<String> options = new ArrayList<>(jvmOptions);
    String jar = agentJar();
    if (jvmOptions.stream().noneMatch(RayJob::isOurAgent)) {
      options.add("-javaagent:" + jar);
    }
    Map<String, String> all = new HashMap<>(variables);
    all.keySet().removeIf(RayJob::isOfCollector);
    all.put("ROLL_OTEL_ENABLED", "1");
    all.put("ROLL_OTEL_ROLE", "worker");
    all.put("ROLL_OTEL_OUTPUT_DIR", new File(settings.outputDir()).getAbsolutePath());
    for (Setting<?> setting : SettingsTable.all()) {
      String value = setting.isForWorkers() ? settings.given(setting) : null;
      if (value != null) {
        all.put(setting.variable(), value);
      }
    }
    for (String property : PROPERTIES) {
      String value = settings.otel(property);
      if (value != null) {
        all.put(property.replace('.', '_').toUpperCase(Locale.ROOT), value);
      }
    }
    System.getenv()
        .forEach(
            (name, value) -> {
              if (name.startsWith("OTEL_")) {
                all.put(name, value);
              }
            });
    all.keySet().removeAll(OWN);
    setEnvironment(all);
    Map<String, String> collector = new HashMap<>(variables);
    collector.keySet().removeIf(name -> !isOfCollector(name));
    addCollector(collector);
    AgentLog.info("workers of this Ray job are traced: -javaagent:" + jar);
    return options;
  }

  private static boolean isOfCollector(String name) {
    return name.startsWith(OTLP);
  }

  /**
   * Adds the run's collector: address, protocol and token, which belong together. An endpoint named
   * by the user takes precedence, and does not get our token.
   */
  void addCollector(Map<String, String> variables) throws ReflectiveOperationException {
    Map<Object, Object> all = environment();
    if (variables.isEmpty()
        || all.containsKey(OTLP + "ENDPOINT")
        || all.containsKey(OTLP + "TRACES_ENDPOINT")) {
      return;
    }
    all.remove(OTLP + "TRACES_PROTOCOL");
    all.remove(OTLP + "TRACES_HEADERS");
    all.putAll(variables);
    set(all);
  }

  /**
   * The address of a node as Ray describes it; null for a name, which would have to be resolved.
   */
  static @Nullable InetAddress address(Object node)
      throws ReflectiveOperationException, UnknownHostException {
    Object known = node.getClass().getMethod("getNodeManagerAddress").invoke(node);
    String address = String.valueOf(known);
    return ADDRESS.matcher(address).matches() ? InetAddress.getByName(address) : null;
  }

  private static boolean isOurAgent(String option) {
    return option.startsWith("-javaagent:") && option.contains("roll-otel");
  }

  private static String agentJar() throws URISyntaxException {
    return new File(RayHook.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .getPath();
  }

  /** The user's own values take precedence. */
  private void setEnvironment(Map<String, String> variables) throws ReflectiveOperationException {
    Map<Object, Object> all = new TreeMap<>(variables);
    all.putAll(environment());
    set(all);
  }

  private Map<Object, Object> environment() throws ReflectiveOperationException {
    Object environment = runtimeEnvironment();
    Method get = environment.getClass().getMethod("get", String.class, Class.class);
    Object given = get.invoke(environment, ENV_VARS, Map.class);
    return given instanceof Map<?, ?> variables ? new TreeMap<>(variables) : new TreeMap<>();
  }

  private void set(Map<Object, Object> variables) throws ReflectiveOperationException {
    Object environment = runtimeEnvironment();
    environment
        .getClass()
        .getMethod("set", String.class, Object.class)
        .invoke(environment, ENV_VARS, variables);
  }

  private Object runtimeEnvironment() throws ReflectiveOperationException {
    return config.getClass().getField("runtimeEnvImpl").get(config);
  }
}
