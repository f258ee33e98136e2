package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.AgentLink;
import io.rollotel.telemetry.internal.EnvironmentSetting;
import io.rollotel.telemetry.internal.StderrLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Records the runs of an agent framework as traces and metrics. Each run has a span {@code
 * rlm.run}, and each of its steps a child span {@code rlm.step}. The names are those of RLM Code's
 * OpenTelemetrySink.
 *
 * <p>A run is identified by its ID, and many may be open at once. No method throws: wrong calls are
 * counted, and the first of each kind in this JVM is logged. A run that is never ended is closed
 * when the JVM ends, or when too many are open, with what is known of it by then. If OpenTelemetry
 * is not on the class path, nothing is recorded, and {@link #status} says so. All methods may be
 * called from any thread.
 */
public final class RunTelemetry implements AutoCloseable {

  private static final String DEFAULT_SERVICE = "rlm-code";
  private static final int NAMED_AT_CLOSE = 3;

  /** Of a URL in a list: user and password, whatever characters these contain. */
  private static final Pattern USER =
      Pattern.compile("(?<=://)(?:(?!, *[A-Za-z]+://).)*@"); // statuses get logged

  /** In characters. An id is the key of open runs and of metrics, so it is cut at the entry. */
  private static final int LONGEST_ID = 255;

  private final boolean enabled;
  private final String serviceName;
  private final @Nullable String endpoint;
  private final boolean metricsEnabled;
  private final boolean content;
  private final @Nullable RunSpans spans;
  private final String missing;
  private final MisuseCounts misuse = new MisuseCounts();

  private final OpenRuns open;

  private RunTelemetry(Builder builder) {
    enabled = builder.enabled;
    serviceName = builder.serviceName != null ? builder.serviceName : environmentName();
    endpoint = builder.endpoint != null ? builder.endpoint : environmentEndpoint();
    metricsEnabled = builder.metricsEnabled;
    content = builder.content;
    open = new OpenRuns(this, builder.maxOpenRuns);
    RunSpans found = null;
    String reason = "disabled";
    if (enabled) {
      try {
        found = RunSpans.create(metricsEnabled);
        reason = "";
      } catch (LinkageError absent) {
        reason = "opentelemetry-api is not on the class path";
      }
      configure(builder);
    }
    spans = found;
    missing = reason;
  }

  /**
   * Creates an instance from {@code DSPY_RLM_OTEL_ENABLED} and the other settings in docs/runs.md.
   */
  public static RunTelemetry fromEnvironment() {
    String ours = EnvironmentSetting.read("ROLL_OTEL_RUNS_ENABLED", "roll.otel.runs.enabled");
    String enabled =
        ours != null
            ? ours
            : EnvironmentSetting.read("DSPY_RLM_OTEL_ENABLED", "dspy.rlm.otel.enabled");
    String metrics =
        EnvironmentSetting.read("DSPY_RLM_OTEL_METRICS_ENABLED", "dspy.rlm.otel.metrics.enabled");
    String content = EnvironmentSetting.read("ROLL_OTEL_RUNS_CONTENT", "roll.otel.runs.content");
    return builder()
        .enabled(enabled != null && EnvironmentSetting.isOn(enabled))
        .metricsEnabled(metrics == null || EnvironmentSetting.isOn(metrics))
        .content(content == null || EnvironmentSetting.isOn(content))
        .build();
  }

  /**
   * A builder with recording, metrics and content enabled. Name and endpoint come from {@code
   * OTEL_*}.
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts a run without a limit of steps or a model's name; see {@link #runStarted(String, String,
   * String, int, String)}.
   */
  public Run runStarted(
      @Nullable String runId, @Nullable String task, @Nullable String environment) {
    return runStarted(runId, task, environment, 0, null);
  }

  /**
   * Starts a run. Its span is a child of the current span of this thread, or the root of a trace if
   * there is none. If a run with this ID is open, that run is returned.
   *
   * @param runId identifies the run in later calls, by its first 255 characters
   * @param task what the run is to do; its first 500 characters are kept
   * @param environment where the run takes place; null becomes {@code unknown}
   * @param maxSteps how many steps the run may take; 0 if that is not known
   * @param model the model's name; null becomes {@code unknown}
   */
  public Run runStarted(
      @Nullable String runId,
      @Nullable String task,
      @Nullable String environment,
      int maxSteps,
      @Nullable String model) {
    if (runId == null || runId.isBlank()) {
      misuse.count(MisuseCounts.Kind.NO_RUN_ID);
      return Run.none(this, "");
    }
    String id = Excerpt.of(runId, LONGEST_ID);
    RunSpans known = spans;
    if (known == null) {
      return Run.none(this, id);
    }
    String place = environment == null ? "unknown" : environment;
    String named = model == null ? "unknown" : model;
    return open.start(
        id,
        () ->
            guarded(
                () -> new Run(this, id, known.start(id, contentOf(task), place, maxSteps, named)),
                Run.none(this, id)));
  }

  /** The open run with this ID. If there is none, a run that records nothing. */
  public Run run(@Nullable String runId) {
    Run found = find(runId);
    if (found != null) {
      return found;
    }
    if (spans != null) {
      misuse.count(runId == null ? MisuseCounts.Kind.NO_RUN_ID : MisuseCounts.Kind.UNKNOWN_RUN);
    }
    return Run.none(this, runId == null ? "" : Excerpt.of(runId, LONGEST_ID));
  }

  /**
   * Starts a step of the run with this ID; see {@link Run#step}.
   *
   * @param step the step's number
   * @param actionType what the step does; null becomes {@code unknown}
   */
  public RunStep step(@Nullable String runId, int step, @Nullable String actionType) {
    return run(runId).step(step, actionType);
  }

  /** Ends the run with this ID; see {@link Run#end}. */
  public void runEnded(
      @Nullable String runId,
      boolean completed,
      @Nullable String finalAnswer,
      @Nullable String runPath) {
    run(runId).end(completed, finalAnswer, runPath);
  }

  /**
   * The trace ID of the open run with this ID, 32 lowercase hex digits. Empty if there is no such
   * run.
   */
  public Optional<String> traceId(@Nullable String runId) {
    Run found = find(runId);
    return found == null ? Optional.empty() : found.traceId();
  }

  private @Nullable Run find(@Nullable String runId) {
    return runId == null ? null : open.find(Excerpt.of(runId, LONGEST_ID));
  }

  /** Reports what is enabled and where spans go. */
  public RunStatus status() {
    String detail = missing;
    boolean available = false;
    RunSpans known = spans;
    if (known != null) {
      available = guarded(known::isAvailable, false);
      detail = available ? destination() : "no OpenTelemetry SDK and no agent takes the spans";
    }
    long ignored = misuse.total();
    if (ignored > 0) {
      detail += "; " + misuse;
    }
    return new RunStatus("opentelemetry", enabled, available, detail, serviceName, metricsEnabled);
  }

  private String destination() {
    if (endpoint != null) {
      return USER.matcher(endpoint).replaceAll("");
    }
    AgentLink agent = AgentLink.get();
    return agent != null && agent.active() ? "the run's collector" : "the application's SDK";
  }

  /** The number of wrong calls that were ignored or corrected. */
  public long ignored() {
    return misuse.total();
  }

  /**
   * Closes all open runs as not completed, with what is known of them. The JVM's exit does this as
   * well; with the agent, before the last export.
   */
  @Override
  public void close() {
    List<Run> unended = open.all();
    if (unended.isEmpty()) {
      return;
    }
    StringBuilder names = new StringBuilder();
    for (Run run : unended) {
      run.closeUnended();
    }
    for (Run run : unended.subList(0, Math.min(NAMED_AT_CLOSE, unended.size()))) {
      names.append(names.isEmpty() ? "" : ", ").append(Excerpt.of(run.id(), 100));
    }
    if (!MisuseCounts.isFirst("never ended")) {
      return;
    }
    StderrLog.warn(
        unended.size() == 1
            ? "run " + names + " was never ended; it was closed with what is known of it"
            : unended.size()
                + " runs were never ended; they were closed with what is known of them: "
                + names
                + (unended.size() > NAMED_AT_CLOSE ? ", …" : ""));
  }

  /**
   * Tracing ends. If the program goes on, or was interrupted, it is not to blame for what is open.
   *
   * @param isJvmEnding whether no run can be closed after this
   * @param hasProgramEnded whether all of the program's threads have ended
   */
  void closeAtEnd(boolean isJvmEnding, boolean hasProgramEnded) {
    if (isJvmEnding) {
      open.end();
    }
    if (hasProgramEnded) {
      close();
    }
    misuse.silence();
    open.all().forEach(Run::closeUnended);
  }

  /** The run has ended. */
  void forget(Run run) {
    open.forget(run);
  }

  int openRuns() {
    return open.size();
  }

  MisuseCounts misuse() {
    return misuse;
  }

  /** The text, or null if contents must not be recorded. */
  @Nullable String contentOf(@Nullable String text) {
    return content ? text : null;
  }

  /** No failure of OpenTelemetry reaches the run. */
  <T> T guarded(Supplier<T> work, T otherwise) {
    try {
      return work.get();
    } catch (VirtualMachineError passing) {
      throw passing;
    } catch (Throwable t) {
      misuse.failed(t);
      return otherwise;
    }
  }

  void guarded(Runnable work) {
    guarded(
        () -> {
          work.run();
          return true;
        },
        false);
  }

  /** Passes settings made in code to the agent, and RLM Code's name if there is none. */
  private static void configure(Builder builder) {
    AgentLink agent = AgentLink.get();
    if (agent == null || !agent.active()) {
      return;
    }
    Map<String, String> settings = new HashMap<>();
    if (builder.serviceName != null) {
      settings.put("otel.service.name", builder.serviceName);
    } else {
      settings.put("roll.otel.fallback.service.name", DEFAULT_SERVICE);
    }
    if (builder.endpoint != null) {
      settings.put("otel.exporter.otlp.endpoint", builder.endpoint);
    }
    boolean isAsked = builder.serviceName != null || builder.endpoint != null;
    if (!agent.configure(settings) && isAsked && MisuseCounts.isFirst("settings too late")) {
      StderrLog.warn(
          "RunTelemetry's service name and endpoint came after the first span and are ignored:"
              + " build it first thing in main");
    }
  }

  private static String environmentName() {
    String name = EnvironmentSetting.read("OTEL_SERVICE_NAME", "otel.service.name");
    return name == null ? DEFAULT_SERVICE : name;
  }

  private static @Nullable String environmentEndpoint() {
    return EnvironmentSetting.read("OTEL_EXPORTER_OTLP_ENDPOINT", "otel.exporter.otlp.endpoint");
  }

  /** Builds a {@link RunTelemetry}. Not thread-safe. */
  public static final class Builder {

    private boolean enabled = true;
    private @Nullable String serviceName;
    private @Nullable String endpoint;
    private boolean metricsEnabled = true;
    private boolean content = true;
    private int maxOpenRuns = 1_024;

    private Builder() {}

    /** Sets whether anything is recorded. */
    public Builder enabled(boolean isEnabled) {
      enabled = isEnabled;
      return this;
    }

    /**
     * Sets the resource attribute {@code service.name}. Without it, {@code OTEL_SERVICE_NAME} or
     * {@code rlm-code} is used. Without the agent, the application's SDK decides.
     */
    public Builder serviceName(@Nullable String name) {
      serviceName = name == null || name.isBlank() ? null : name;
      return this;
    }

    /**
     * Sets the base URL of an OTLP collector. Without it, {@code OTEL_EXPORTER_OTLP_ENDPOINT} is
     * used. Without the agent, the application's SDK decides.
     */
    public Builder endpoint(@Nullable String url) {
      endpoint = url == null || url.isBlank() ? null : url;
      return this;
    }

    /** Sets whether the metrics {@code rlm.*} are recorded. */
    public Builder metricsEnabled(boolean areEnabled) {
      metricsEnabled = areEnabled;
      return this;
    }

    /** Sets whether task, code, output and final answer are kept. */
    public Builder content(boolean isKept) {
      content = isKept;
      return this;
    }

    /** Sets how many runs may be open before the oldest is closed. The default is 1,024. */
    public Builder maxOpenRuns(int most) {
      maxOpenRuns = Math.max(1, most);
      return this;
    }

    /** Builds it. Never throws. */
    public RunTelemetry build() {
      return new RunTelemetry(this);
    }
  }
}
