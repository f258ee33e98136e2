package io.rollotel.telemetry;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.rollotel.telemetry.internal.AgentLink;
import io.rollotel.telemetry.internal.EnvironmentSetting;
import io.rollotel.telemetry.internal.StderrLog;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names this process, provides tracers for spans made by hand, and shuts tracing down. The Java
 * form of ROLL's {@code telemetry.py}.
 *
 * <p>No method throws because of tracing. Without {@code ROLL_OTEL_ENABLED}, all of them do
 * nothing. They may be called from any thread.
 */
public final class Telemetry {

  /** The scope of spans that a pipeline makes by hand, as in ROLL. */
  private static final String DEFAULT_TRACER = "roll";

  private static final Object LOCK = new Object();
  private static boolean initialized;

  private Telemetry() {}

  /** Names this process; see {@link #init(String, String, String)}. */
  public static void init(String serviceName) {
    init(serviceName, null, null);
  }

  /** Names this process and its collector; see {@link #init(String, String, String)}. */
  public static void init(String serviceName, @Nullable String endpoint) {
    init(serviceName, endpoint, null);
  }

  /**
   * Names this process. Call it before the first span, since a resource cannot change later. A
   * second call, or one that comes too late, is ignored with a warning. If no endpoint is given or
   * set, the agent finds or starts a collector. Mirrors ROLL's {@code init_telemetry}.
   *
   * <p>Without the agent, whoever builds the SDK decides about its resource; this call is then only
   * logged.
   *
   * @param serviceName the resource attribute {@code service.name}: a cluster's name, {@code
   *     driver}, {@code scheduler}
   * @param endpoint the base URL of an OTLP collector; null for {@code OTEL_EXPORTER_OTLP_ENDPOINT}
   * @param instanceId the resource attribute {@code service.instance.id}, such as a worker's name;
   *     may be null
   */
  public static void init(
      String serviceName, @Nullable String endpoint, @Nullable String instanceId) {
    if (!enabled()) {
      return;
    }
    boolean isNamed = isGiven(serviceName);
    if (!isNamed) {
      StderrLog.warn("Telemetry.init was given no service name: the name from elsewhere stays");
    }
    synchronized (LOCK) {
      if (initialized) {
        StderrLog.warn("Telemetry.init was called before; this call is ignored: " + serviceName);
        return;
      }
      initialized = true;
    }
    Map<String, String> settings = new HashMap<>();
    if (isNamed) {
      settings.put("otel.service.name", serviceName);
    }
    if (isGiven(endpoint)) {
      settings.put("otel.exporter.otlp.endpoint", endpoint);
    }
    if (isGiven(instanceId)) {
      settings.put("roll.otel.instance", instanceId);
    }
    AgentLink agent = AgentLink.get();
    if (agent == null) {
      StderrLog.info(
          "Telemetry.init("
              + serviceName
              + "): no roll-otel agent in this JVM, the SDK of the application decides");
    } else if (!agent.configure(settings)) {
      StderrLog.warn(
          "Telemetry.init("
              + serviceName
              + ") came after the first span, or after shutdown, and is ignored: call it first thing"
              + " in main");
    }
  }

  private static boolean isGiven(@Nullable String text) {
    return text != null && !text.isBlank();
  }

  /** A tracer with the instrumentation scope {@code roll}; see {@link #tracer(String)}. */
  public static Tracer tracer() {
    return tracer(DEFAULT_TRACER);
  }

  /**
   * A tracer for spans made by hand. It does nothing if tracing is disabled, or if the current
   * context is suppressed at the time of this call. So ask for it where you start a span, and do
   * not keep it. Mirrors ROLL's {@code get_tracer}.
   *
   * @param name the instrumentation scope
   */
  public static Tracer tracer(String name) {
    if (!enabled() || TraceContext.isSuppressed(Context.current())) {
      return TracerProvider.noop().get(name);
    }
    return GlobalLookup.get().getTracer(name);
  }

  /**
   * The environment variables that a child process needs to take part in the run, in any language.
   * They say that tracing is enabled, where the run's collector listens, which protocol it speaks,
   * and which run it is. They include the collector's token, which is a secret: do not print them.
   *
   * <p>If this process is the run's driver, the first call starts the collector and waits until it
   * listens. Resource attributes from this process's environment are kept.
   *
   * @return a new map; empty without the agent, and if tracing is disabled
   */
  public static Map<String, String> workerEnvironment() {
    AgentLink agent = AgentLink.get();
    return agent == null || !agent.active() ? new HashMap<>() : agent.workerEnvironment();
  }

  /**
   * Exports pending spans, ends tracing in this process for good, and stops the collector if it
   * runs here. Spans that end later are counted and reported when the JVM ends. The end of the JVM
   * does the same; call this to choose the time, for example after the last worker has ended.
   * Exporting takes at most {@code ROLL_OTEL_EXIT_TIMEOUT}. Mirrors ROLL's {@code
   * shutdown_telemetry}.
   */
  public static void shutdown() {
    AgentLink agent = AgentLink.get();
    if (agent != null) {
      agent.shutdown();
    }
    synchronized (LOCK) {
      initialized = false;
    }
  }

  /** Whether tracing was switched on, by the agent's settings or by {@code ROLL_OTEL_ENABLED}. */
  static boolean enabled() {
    AgentLink agent = AgentLink.get();
    return agent != null ? agent.active() : Environment.ENABLED;
  }

  /** Read once and lazily, for JVMs without the agent; missing libraries are reported then. */
  private static final class Environment {
    static final boolean ENABLED = tell(read());

    private static boolean tell(boolean enabled) {
      if (enabled) {
        StderrLog.warn(
            "ROLL_OTEL_ENABLED is set, but this JVM runs without -javaagent:roll-otel-agent.jar: no"
                + " @Register method is traced, and spans made by Telemetry go to the application's"
                + " own SDK, if it has one");
      }
      return enabled;
    }

    private static boolean read() {
      String value = EnvironmentSetting.read("ROLL_OTEL_ENABLED", "roll.otel.enabled");
      return value != null && EnvironmentSetting.isOn(value);
    }
  }
}
