package io.rollotel.agent.settings;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.settings.Setting;
import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The agent's settings, read: values that never change. Each has an environment variable ({@code
 * ROLL_OTEL_OUTPUT_DIR}), the same as a system property ({@code roll.otel.output.dir}) and as an
 * agent argument ({@code output.dir}); the first of these that is there wins. {@code otel.*}
 * settings may be agent arguments as well and are handed to the SDK. {@link SettingsTable} lists
 * them.
 *
 * <p>For a malformed value or an unknown name, one line is printed on stderr; the program
 * continues.
 */
public final class Settings {

  /** The wait for other hosts' files: a host may have to start a JVM to answer. */
  private static final long FETCH_MILLIS = 5_000;

  static final String PROTOCOL_OF_TRACES = "otel.exporter.otlp.traces.protocol";
  static final String PROTOCOL_OF_ALL = "otel.exporter.otlp.protocol";

  private final SettingSources sources;
  private final Map<Setting<?>, Object> values = new HashMap<>();
  private final List<String> complaints;
  private final MethodList methods;
  private final Map<String, String> otlpProtocols;
  private final boolean measuresCalls;

  /** The default output directory of a driver that was submitted to Ray as a job. */
  private final @Nullable String jobsOutputDir;

  /**
   * Reads all settings; the log level is in force when this returns.
   *
   * @param woven the methods that the agent already weaves; null before that
   * @param onlyIfEnabled whether, if tracing is off, only that setting is read and no problems of
   *     others are reported
   */
  private Settings(SettingSources sources, @Nullable MethodList woven, boolean onlyIfEnabled) {
    this.sources = sources;
    List<String> lines = sources.unknown();
    read(SettingsTable.LOG, lines);
    AgentLog.setLevel(optional(SettingsTable.LOG));
    read(SettingsTable.ENABLED, lines);
    boolean isRead = !onlyIfEnabled || enabled();
    List<String> unlogged = isRead ? lines : new ArrayList<>();
    for (Setting<?> setting : SettingsTable.own()) {
      boolean isReadAlready = setting == SettingsTable.LOG || setting == SettingsTable.ENABLED;
      if (!isReadAlready && setting.readers().contains(Setting.Reader.PROCESS)) {
        read(setting, unlogged);
      }
    }
    jobsOutputDir =
        // Without that variable, its class and those of regular expressions are not loaded.
        sources.environment("RAY_JOB_CONFIG_JSON_ENV_VAR") != null
                && given(SettingsTable.OUTPUT_DIR) == null
            ? SubmittedJob.outputDir(sources::environment, System.getProperty("user.dir", ""))
            : null;
    // Without these settings, the class that reads them is not loaded.
    boolean isProtocolSet = otel(PROTOCOL_OF_TRACES) != null || otel(PROTOCOL_OF_ALL) != null;
    otlpProtocols = isProtocolSet ? OtelValues.otlpProtocols(sources, unlogged) : Map.of();
    String metricsExporter = otel("otel.metrics.exporter");
    measuresCalls = metricsExporter != null && OtelValues.isOtlp(metricsExporter, unlogged);
    methods = woven != null ? woven : methods(unlogged);
    complaints = List.copyOf(lines);
  }

  private void read(Setting<?> setting, List<String> lines) {
    Object value = setting.read(given(setting), lines);
    if (value != null) {
      values.put(setting, value);
    }
  }

  private MethodList methods(List<String> lines) {
    String list = optional(SettingsTable.METHODS);
    return list == null ? MethodList.none() : MethodList.parse(list, lines);
  }

  /** The settings of a JVM whose agent has these arguments, {@code key=value,…}. */
  public static Settings read(@Nullable String agentArguments, Map<String, String> environment) {
    return new Settings(sources(agentArguments, environment), null, false);
  }

  /**
   * The same before main. If tracing is off, reports only unknown names and invalid values of LOG
   * and ENABLED.
   */
  public static Settings atStart(@Nullable String agentArguments, Map<String, String> environment) {
    return new Settings(sources(agentArguments, environment), null, true);
  }

  private static SettingSources sources(
      @Nullable String agentArguments, Map<String, String> environment) {
    String arguments = agentArguments == null ? "" : agentArguments;
    return SettingSources.of(arguments.split(",", -1), environment);
  }

  /**
   * The settings of a JVM to which the agent is attached: enabled, and arguments of {@code attach}
   * override the environment and the properties, which are older.
   */
  public static Settings attached(List<String> keysAndValues, Map<String, String> environment) {
    String[] arguments = keysAndValues.toArray(new String[0]);
    return new Settings(SettingSources.attached(arguments, environment), null, false);
  }

  /** These settings, overridden by those from user code, by property names. */
  Settings with(Map<String, String> fromUserCode) {
    return new Settings(sources.with(fromUserCode), methods, false);
  }

  /** These settings with the system properties as they are now. */
  Settings readAgain() {
    return new Settings(sources.again(), methods, false);
  }

  /** The lines to print: one for each unknown name and malformed value. */
  public List<String> complaints() {
    return complaints;
  }

  /** The value of a setting with a default. */
  private <T> T get(Setting<T> setting) {
    return Objects.requireNonNull(optional(setting));
  }

  /** Null if there is neither a value nor a default. */
  @SuppressWarnings("unchecked") // only read() puts anything there
  private <T> @Nullable T optional(Setting<T> setting) {
    return (T) values.get(setting);
  }

  /** Whether tracing is switched on. */
  public boolean enabled() {
    return get(SettingsTable.ENABLED);
  }

  /** Whether the user has switched OpenTelemetry off, and so tracing too. */
  public boolean sdkDisabled() {
    return Boolean.parseBoolean(otel("otel.sdk.disabled"));
  }

  /** Whether the context follows work into other threads. */
  public boolean threads() {
    return get(SettingsTable.THREADS);
  }

  /** Whether log lines inside a span name the span. */
  public boolean logCorrelation() {
    return get(SettingsTable.LOG_CORRELATION);
  }

  /** The entries of baggage that become attributes of worker spans. */
  public List<String> baggageAttributes() {
    List<String> names = optional(SettingsTable.BAGGAGE_ATTRIBUTES);
    return names == null ? List.of() : names;
  }

  /**
   * The service's name from user code, which applies if no setting names it, instead of the main
   * class.
   */
  public @Nullable String fallbackServiceName() {
    return sources.fromUserCode("roll.otel.fallback.service.name");
  }

  /** The settings from arguments or user code, each as {@code key=value}. */
  public List<String> given() {
    return sources.given();
  }

  /** The directory for traces, {@code ./output/otlp} by default. */
  public String outputDir() {
    return jobsOutputDir != null ? jobsOutputDir : get(SettingsTable.OUTPUT_DIR);
  }

  /** Tells the user where a submitted job's traces go, and what Ray will delete. */
  public void sayOutputDir() {
    String absolute = new File(outputDir()).getAbsolutePath();
    if (jobsOutputDir != null) {
      AgentLog.warn("the traces of this submitted job go to " + absolute);
    } else if (absolute.contains("runtime_resources") && SubmittedJob.isInCache(absolute)) {
      AgentLog.warn(
          "the traces go to "
              + absolute
              + ", which Ray deletes: set "
              + SettingsTable.OUTPUT_DIR
              + " to a folder that outlives the job");
    }
  }

  /** The name of this process; null if {@code ROLL_OTEL_INSTANCE} gives none. */
  public @Nullable String instance() {
    return optional(SettingsTable.INSTANCE);
  }

  /** The id of the run, or null if the driver decides. */
  public @Nullable String runId() {
    return optional(SettingsTable.RUN_ID);
  }

  /** See {@link NoContext}. */
  public NoContext noContext() {
    return get(SettingsTable.NO_CONTEXT);
  }

  /** See {@link Role}. */
  public Role role() {
    return get(SettingsTable.ROLE);
  }

  /** See {@link RaySpans}. */
  public RaySpans ray() {
    return get(SettingsTable.RAY);
  }

  /** See {@link ExecSpans}. */
  public ExecSpans exec() {
    return get(SettingsTable.EXEC);
  }

  /** See {@link Exporter}. */
  public Exporter exporter() {
    return get(SettingsTable.EXPORTER);
  }

  /** The user's {@code class::method} to call before tracing begins; null for none. */
  public @Nullable String startupHook() {
    String hook = optional(SettingsTable.STARTUP_HOOK);
    return hook == null || hook.contains("::") ? hook : null;
  }

  /**
   * Reports ignored settings to a listener: a startup hook {@code module:function} is Python's
   * setting, and both languages may share this environment.
   */
  public void sayIgnored() {
    String hook = optional(SettingsTable.STARTUP_HOOK);
    if (hook != null && !hook.contains("::")) {
      AgentLog.info(SettingsTable.STARTUP_HOOK + "=" + hook + " is a Python name and is ignored");
    }
  }

  /** How long the flush at exit may take. */
  public long exitTimeoutMillis() {
    return get(SettingsTable.EXIT_TIMEOUT);
  }

  /**
   * How long the end of a Ray job may wait for files that its run has left on other hosts: as long
   * as the flush, if the user has set that.
   */
  public long fetchTimeoutMillis() {
    return given(SettingsTable.EXIT_TIMEOUT) == null ? FETCH_MILLIS : exitTimeoutMillis();
  }

  /** The length at which captured text is cut, in characters. */
  public int attributeLength() {
    return get(SettingsTable.ATTRIBUTE_LENGTH).intValue();
  }

  /** The length at which an exception's message, and its stack trace, are cut, in characters. */
  public int exceptionLength() {
    return get(SettingsTable.EXCEPTION_LENGTH).intValue();
  }

  /** The size of the file of open spans; 0 for none. */
  public int recorderBytes() {
    return get(SettingsTable.RECORDER_BYTES).intValue();
  }

  /**
   * What to record of the process: {@code on}, {@code cpu}, a period, or a file; null for nothing.
   */
  public @Nullable String profile() {
    String choice = optional(SettingsTable.PROFILE);
    return choice == null || choice.toLowerCase(Locale.ROOT).matches("off|0|false|no")
        ? null
        : choice;
  }

  /** How many bytes of profile to keep. */
  public long profileBytes() {
    return get(SettingsTable.PROFILE_BYTES);
  }

  /**
   * The protocol for an endpoint that the user named, if set: {@code grpc} or {@code http/protobuf}
   * for each property that is set, the stronger first. Spans for the collector of this run's driver
   * go by HTTP regardless of this.
   */
  public Map<String, String> otlpProtocols() {
    return otlpProtocols;
  }

  /**
   * Whether calls of worker methods are measured as a metric: if {@code OTEL_METRICS_EXPORTER} is
   * {@code otlp}. The application's own meters are exported even if it is not set.
   */
  public boolean measuresCalls() {
    return measuresCalls;
  }

  /** Methods to trace without an annotation: as they were when the agent began to weave. */
  public MethodList methods() {
    return methods;
  }

  /** A setting of the collector, which parses it itself; null if it is not set. */
  public @Nullable String collector(String name) {
    return name.equals("COLLECTOR") && exporter() == Exporter.FILE ? "none" : sources.value(name);
  }

  /** Whether the user named an endpoint for a signal, {@code traces} or {@code metrics}. */
  public boolean endpointGiven(String signal) {
    return exporter() != Exporter.FILE
        && (otel("otel.exporter.otlp.endpoint") != null
            || otel("otel.exporter.otlp." + signal + ".endpoint") != null);
  }

  /** Whether spans in own files are sent once the endpoint accepts spans again. */
  public boolean replay() {
    return get(SettingsTable.REPLAY);
  }

  /** Another variable of the environment, such as RANK. */
  public @Nullable String environment(String name) {
    return sources.environment(name);
  }

  /**
   * An {@code otel.*} setting: from user code, system property, environment or agent argument, in
   * the SDK's order; null for none.
   *
   * @param property its property name
   */
  public @Nullable String otel(String property) {
    return sources.otel(property);
  }

  /** The names of all {@code otel.*} settings from any source; the SDK reads the same. */
  public Collection<String> otelNames() {
    return sources.otelNames();
  }

  /** The {@code otel.*} settings that the SDK does not read itself, in increasing precedence. */
  public List<Map<String, String>> otelArguments() {
    return sources.otelArguments();
  }

  /** The value of a setting as written; null if its default applies. */
  public @Nullable String given(Setting<?> setting) {
    return sources.value(setting.name());
  }

  /** The value in force, also if the setting is unset or invalid; empty for none. */
  public <T> String inForce(Setting<T> setting) {
    if (setting == SettingsTable.OUTPUT_DIR) {
      return outputDir();
    }
    T value = optional(setting);
    if (value != null) {
      return setting.shown(value);
    }
    // Other components read it themselves, and report how they interpret it.
    String given = given(setting);
    return given == null ? "" : given;
  }

  /**
   * Where a setting comes from: {@code environment}, {@code property}, {@code argument} or {@code
   * default}.
   *
   * @param name that of an entry of {@link SettingsTable}, or the property name of an {@code
   *     otel.*} setting
   */
  public String source(String name) {
    return sources.source(name);
  }
}
