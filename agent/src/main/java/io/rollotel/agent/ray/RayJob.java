package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.settings.SettingsTable;
import io.rollotel.traces.settings.Setting;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Ray's configuration of a driver: what the job's workers are started with. */
final class RayJob {

  private static final String ENV_VARS = "env_vars";

  /** Of one process alone. */
  private static final List<String> OWN = List.of("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES");

  /** What the driver may have been told by other ways than its environment. */
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
   * Adds the agent to what the user has given, which is stronger: an agent of ours among the JVM
   * options, and each environment variable.
   *
   * @param variables what the run's processes need to know
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
    AgentLog.info("workers of this Ray job are traced: -javaagent:" + jar);
    return options;
  }

  private static boolean isOurAgent(String option) {
    return option.startsWith("-javaagent:") && option.contains("roll-otel");
  }

  private static String agentJar() throws URISyntaxException {
    return new File(RayHook.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .getPath();
  }

  private void setEnvironment(Map<String, String> variables) throws ReflectiveOperationException {
    Object environment = config.getClass().getField("runtimeEnvImpl").get(config);
    Class<?> type = environment.getClass();
    Map<Object, Object> all = new TreeMap<>(variables);
    Method get = type.getMethod("get", String.class, Class.class);
    if (get.invoke(environment, ENV_VARS, Map.class) instanceof Map<?, ?> given) {
      all.putAll(given);
    }
    type.getMethod("set", String.class, Object.class).invoke(environment, ENV_VARS, all);
  }
}
