package io.rollotel.agent.settings;

import io.rollotel.agent.log.AgentLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The agent's settings. Each has an environment variable ({@code ROLL_OTEL_OUTPUT_DIR}), the same
 * as a system property ({@code roll.otel.output.dir}) and as an agent argument ({@code
 * output.dir}); the first of these that is there wins. {@code otel.*} settings may be agent
 * arguments as well and are handed to the SDK.
 *
 * <p>A malformed value or an unknown name is one line on stderr; the program runs on.
 */
public final class Settings {

  /** What happens where a payload brings no context: the table in the README. */
  public enum NoContext {
    /** Child of a local span, else suppressed where there is a payload, else a new root. */
    LOCAL,
    /** ROLL to the letter: no context, no span. */
    SUPPRESS,
    /** Never suppressed. */
    ROOT
  }

  /** Who collects. */
  public enum Role {
    /** Driver where no endpoint is set and the lock is free, else worker. */
    AUTO,
    /** Starts the collector. */
    DRIVER,
    /** Never starts one. */
    WORKER
  }

  /** What of Ray becomes spans. */
  public enum Ray {
    /** Nothing; Ray's classes stay as they are. */
    OFF,
    /** Calls, at both ends. */
    ON,
    /** And {@code get}, {@code wait} and {@code put}. */
    VERBOSE
  }

  /** Which worker spans have the child {@code exec}. */
  public enum Exec {
    /** Those that have {@code prefetch} or {@code to_remote} as well. */
    AUTO,
    /** All: ROLL's shape. */
    ALWAYS
  }

  /** Where spans go. */
  public enum Exporter {
    /** To an endpoint or to the run's collector. */
    OTLP,
    /** Each process into its own file; there is no collector. */
    FILE
  }

  /** The property of {@link #outputDir}. */
  public static final String OUTPUT_DIR = "roll.otel.output.dir";

  private static final int RECORDER_BYTES = 2 << 20;
  private static final int LEAST_RECORDER_BYTES = 128 << 10;
  private static final int MOST_RECORDER_BYTES = 1 << 30;

  private static final String HTTP_PROTOBUF = "http/protobuf";
  private static final List<String> OTLP_PROTOCOLS = List.of("grpc", HTTP_PROTOBUF);

  /** Every name there is, in the form of its environment variable without the prefix. */
  public static final List<String> NAMES =
      List.of(
          "ATTRIBUTE_LENGTH",
          "BAGGAGE_ATTRIBUTES",
          "COLLECTOR",
          "COLLECTOR_HOST",
          "ENABLED",
          "EXEC",
          "EXIT_TIMEOUT",
          "EXPORTER",
          "FILE_GZIP",
          "FILE_MAX_BYTES",
          "FILE_MAX_LINES",
          "FSYNC",
          "GRPC_PORT",
          "HTTP_PORT",
          "INSTANCE",
          "LOG",
          "LOG_CORRELATION",
          "MAX_CONNECTIONS",
          "MAX_IN_FLIGHT_BYTES",
          "MAX_REQUEST_BYTES",
          "MAX_STREAMS",
          "METHODS",
          "NO_CONTEXT",
          "OUTPUT_DIR",
          "RAY",
          "RECORDER_BYTES",
          "REQUEST_TIMEOUT",
          "ROLE",
          "RUNS_CONTENT",
          "RUNS_ENABLED",
          "RUN_ID",
          "STARTUP_HOOK",
          "THREADS",
          "TRACE_URL_TEMPLATE",
          "UI");

  private final SettingSources sources;
  private final List<String> complaints = new ArrayList<>();
  private MethodList methods = MethodList.none();

  private Settings(SettingSources sources) {
    this.sources = sources;
  }

  /** Reads the agent's arguments {@code key=value,…}; everything else is read when asked for. */
  public static Settings read(@Nullable String agentArguments, Map<String, String> environment) {
    SettingSources sources = new SettingSources(environment);
    sources.parse((agentArguments == null ? "" : agentArguments).split(",", -1));
    Settings settings = new Settings(sources);
    settings.complaints.addAll(sources.unknown());
    settings.setLevel();
    return settings;
  }

  /**
   * The settings of a JVM to which the agent is attached: on, and what was said then is stronger
   * than the environment and the properties, which were there before.
   */
  public static Settings attached(List<String> keysAndValues, Map<String, String> environment) {
    SettingSources sources = new SettingSources(environment);
    sources.parse(keysAndValues.toArray(new String[0]));
    Settings settings = new Settings(sources);
    settings.complaints.addAll(sources.unknown());
    sources.set(SettingSources.property("ENABLED"), "true");
    sources.preferArguments();
    settings.setLevel();
    return settings;
  }

  private void setLevel() {
    if (!AgentLog.setLevel(value("LOG"))) {
      malformed("LOG", "debug, info, warn or off");
    }
  }

  /** The lines to print: one for each unknown name and malformed value. */
  public List<String> complaints() {
    return complaints;
  }

  /** Asks for every setting once, so that each malformed one is complained of at the start. */
  public void check() {
    noContext();
    role();
    exitTimeoutMillis();
    attributeLength();
    recorderBytes();
    threads();
    ray();
    exec();
    exporter();
    startupHook();
    otlpProtocol();
    logCorrelation();
    String list = value("METHODS");
    if (list != null) {
      methods = MethodList.parse(list, complaints);
    }
  }

  /** Whether tracing is switched on. */
  public boolean enabled() {
    return isOn("ENABLED", false);
  }

  /** Whether the context follows work into other threads. */
  public boolean threads() {
    return isOn("THREADS", true);
  }

  /** Whether what is logged inside a span names it. */
  public boolean logCorrelation() {
    return isOn("LOG_CORRELATION", true);
  }

  /** The entries of baggage that become attributes of worker spans. */
  public List<String> baggageAttributes() {
    String value = value("BAGGAGE_ATTRIBUTES");
    return value == null ? List.of() : List.of(value.split("\\s*,[\\s,]*"));
  }

  /** What a service is called that nobody has named, if user code knows better than its main. */
  public @Nullable String fallbackServiceName() {
    return sources.fromUserCode("roll.otel.fallback.service.name");
  }

  private boolean isOn(String name, boolean otherwise) {
    String value = value(name);
    if (value == null) {
      return otherwise;
    }
    switch (value.toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes", "on" -> {
        return true;
      }
      case "0", "false", "no", "off" -> {
        return false;
      }
      default -> {
        malformed(name, "1, true, yes or on; 0, false, no or off");
        return otherwise;
      }
    }
  }

  /** What was set by argument or by user code, {@code key=value} each. */
  public List<String> given() {
    return sources.given();
  }

  /** Where the traces go, {@code ./output/otlp} by default. */
  public String outputDir() {
    String value = value("OUTPUT_DIR");
    return value == null ? "output/otlp" : value;
  }

  /** The name of this process, or null for host:pid. */
  public @Nullable String instance() {
    return value("INSTANCE");
  }

  /** The id of the run, or null where the driver decides. */
  public @Nullable String runId() {
    return value("RUN_ID");
  }

  /** See {@link NoContext}. */
  public NoContext noContext() {
    return choice("NO_CONTEXT", NoContext.LOCAL);
  }

  /** See {@link Role}. */
  public Role role() {
    return choice("ROLE", Role.AUTO);
  }

  /** See {@link Ray}. */
  public Ray ray() {
    return choice("RAY", Ray.ON);
  }

  /** See {@link Exec}. */
  public Exec exec() {
    return choice("EXEC", Exec.AUTO);
  }

  /** See {@link Exporter}. */
  public Exporter exporter() {
    return choice("EXPORTER", Exporter.OTLP);
  }

  /** {@code class::method} of the user's, to be called before tracing; null where there is none. */
  public @Nullable String startupHook() {
    String value = value("STARTUP_HOOK");
    if (value == null || value.matches("[\\w$.]+::[\\w$]+")) {
      return value;
    }
    if (value.matches("[\\w.]+:[\\w.]+")) {
      AgentLog.info("ROLL_OTEL_STARTUP_HOOK=" + value + " is Python's: ignored");
    } else {
      malformed("STARTUP_HOOK", "a class and a static method such as com.acme.Tracing::setup");
    }
    return null;
  }

  /** How long the flush at exit may take. */
  public long exitTimeoutMillis() {
    String value = value("EXIT_TIMEOUT");
    if (value == null) {
      return 2_000;
    }
    Matcher matcher = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(ms|s)?").matcher(value);
    if (matcher.matches()) {
      double millis =
          Double.parseDouble(matcher.group(1)) * ("ms".equals(matcher.group(2)) ? 1 : 1_000);
      if (millis <= 3_600_000) {
        return (long) millis;
      }
    }
    malformed("EXIT_TIMEOUT", "a number of seconds such as 2, 0.5 or 500ms");
    return 2_000;
  }

  /** At how many characters captured text is cut. */
  public int attributeLength() {
    String value = value("ATTRIBUTE_LENGTH");
    if (value == null) {
      return 1_024;
    }
    try {
      int length = Integer.parseInt(value);
      if (length > 0) {
        return length;
      }
    } catch (NumberFormatException e) {
      // falls through to the complaint
    }
    malformed("ATTRIBUTE_LENGTH", "a number of characters above 0");
    return 1_024;
  }

  /** The size of the file of open spans; 0 for none. */
  public int recorderBytes() {
    String value = value("RECORDER_BYTES");
    if (value == null) {
      return RECORDER_BYTES;
    }
    Matcher matcher =
        Pattern.compile("(\\d{1,10})\\s*([km]?)").matcher(value.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long unit =
          matcher.group(2).equals("m") ? 1 << 20 : matcher.group(2).equals("k") ? 1 << 10 : 1;
      long bytes = Long.parseLong(matcher.group(1)) * unit;
      if (bytes == 0 || (bytes >= LEAST_RECORDER_BYTES && bytes <= MOST_RECORDER_BYTES)) {
        return (int) bytes;
      }
    }
    malformed("RECORDER_BYTES", "0 for none, or a size from 128k to 1024m");
    return RECORDER_BYTES;
  }

  /**
   * How spans go to an endpoint that the user named: {@code grpc} or {@code http/protobuf}. What
   * this run's own driver collects goes there by HTTP whatever is said here.
   */
  public String otlpProtocol() {
    for (String property :
        List.of("otel.exporter.otlp.traces.protocol", "otel.exporter.otlp.protocol")) {
      String value = otel(property);
      if (value != null) {
        for (String known : OTLP_PROTOCOLS) {
          if (known.equalsIgnoreCase(value)) {
            return known;
          }
        }
        complain(
            SettingSources.otelVariable(property)
                + "="
                + value
                + " is not understood; it takes grpc or http/protobuf, which is used");
        return HTTP_PROTOBUF;
      }
    }
    return HTTP_PROTOBUF;
  }

  /** Methods to trace without an annotation; known after {@link #check}. */
  public MethodList methods() {
    return methods;
  }

  /** A setting of the collector, which understands it itself; null where it is not given. */
  public @Nullable String collector(String name) {
    return name.equals("COLLECTOR") && exporter() == Exporter.FILE ? "none" : value(name);
  }

  /** Whether the user named an endpoint for a signal, {@code traces} or {@code metrics}. */
  public boolean endpointGiven(String signal) {
    return exporter() != Exporter.FILE
        && (otel("otel.exporter.otlp.endpoint") != null
            || otel("otel.exporter.otlp." + signal + ".endpoint") != null);
  }

  /** Another variable of the environment, such as RANK. */
  public @Nullable String environment(String name) {
    return sources.environment(name);
  }

  /** These settings with those from user code, by property names; they are stronger. */
  Settings with(Map<String, String> fromUserCode) {
    Settings more = new Settings(sources.with(fromUserCode));
    more.methods = methods;
    return more;
  }

  /**
   * An {@code otel.*} setting: from user code, system property, environment or agent argument, in
   * the SDK's order; null where there is none.
   *
   * @param property its property name
   */
  public @Nullable String otel(String property) {
    return sources.otel(property);
  }

  /** The names of all {@code otel.*} settings that were given, wherever; the SDK reads the same. */
  public Collection<String> otelNames() {
    return sources.otelNames();
  }

  /** The {@code otel.*} settings that the SDK does not see by itself, the weaker first. */
  public List<Map<String, String>> otelArguments() {
    return sources.otelArguments();
  }

  /** What was given for one of {@link #NAMES}; null where its default stands. */
  public @Nullable String value(String name) {
    return sources.value(name);
  }

  /**
   * Where a setting comes from: {@code environment}, {@code property}, {@code argument} or {@code
   * default}.
   *
   * @param name one of {@link #NAMES}, or the property name of an {@code otel.*} setting
   */
  public String source(String name) {
    return sources.source(name);
  }

  private <E extends Enum<E>> E choice(String name, E otherwise) {
    String value = value(name);
    if (value == null) {
      return otherwise;
    }
    E[] all = otherwise.getDeclaringClass().getEnumConstants();
    StringBuilder known = new StringBuilder();
    for (E candidate : all) {
      if (candidate.name().equalsIgnoreCase(value)) {
        return candidate;
      }
      known.append(known.isEmpty() ? "" : ", ").append(candidate.name().toLowerCase(Locale.ROOT));
    }
    malformed(name, known.toString());
    return otherwise;
  }

  private void malformed(String name, String wanted) {
    complain(
        SettingSources.ENVIRONMENT_PREFIX
            + name
            + "="
            + value(name)
            + " is not understood; it takes "
            + wanted);
  }

  private void complain(String line) {
    if (!complaints.contains(line)) {
      complaints.add(line);
    }
  }
}
