package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.AgentLink;
import io.rollotel.telemetry.internal.EnvironmentSetting;
import io.rollotel.telemetry.internal.StderrLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of an agent framework as traces and metrics: a span {@code rlm.run} for each run, a span
 * {@code rlm.step} below it for each step, in the names of RLM Code's OpenTelemetrySink.
 *
 * <p>Runs are known by their ids; many may be open at once. No method throws into the run: what
 * cannot be right is counted and said once. A run that is never ended is closed at the end of the
 * JVM, or when too many are open, with what is known of it by then. Where OpenTelemetry is not on
 * the class path, nothing happens, and {@link #status} says so. All methods may be called from any
 * thread.
 */
public final class RunTelemetry implements AutoCloseable {

  private static final String DEFAULT_SERVICE = "rlm-code";
  private static final int NAMED_AT_CLOSE = 3;

  private final boolean enabled;
  private final String serviceName;
  private final @Nullable String endpoint;
  private final boolean metricsEnabled;
  private final boolean content;
  private final int maxOpenRuns;
  private final @Nullable RunSpans spans;
  private final String missing;
  private final MisuseCounts misuse = new MisuseCounts();

  /** In the order of their starts. Guarded by itself. */
  private final LinkedHashMap<String, Run> open = new LinkedHashMap<>();

  private RunTelemetry(Builder builder) {
    enabled = builder.enabled;
    serviceName = builder.serviceName != null ? builder.serviceName : environmentName();
    endpoint = builder.endpoint != null ? builder.endpoint : environmentEndpoint();
    metricsEnabled = builder.metricsEnabled;
    content = builder.content;
    maxOpenRuns = builder.maxOpenRuns;
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

  /** As {@code DSPY_RLM_OTEL_ENABLED} and the other settings in docs/runs.md say. */
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

  /** Enabled, with metrics and content, named and sent as {@code OTEL_*} say. */
  public static Builder builder() {
    return new Builder();
  }

  /** {@link #runStarted(String, String, String, int, String)} without a limit or a model's name. */
  public Run runStarted(
      @Nullable String runId, @Nullable String task, @Nullable String environment) {
    return runStarted(runId, task, environment, 0, null);
  }

  /**
   * Starts a run: below what is current on this thread, else as the root of a trace. An id that is
   * open already gives that run.
   *
   * @param runId what the run is known by from here on
   * @param task what is to be done; its first 500 characters are kept
   * @param environment where it is done; {@code unknown} where null
   * @param maxSteps how many steps it may take; 0 where nobody says
   * @param model the model's name; {@code unknown} where null
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
    RunSpans known = spans;
    if (known == null) {
      return Run.none(this, runId);
    }
    Run earlier = find(runId);
    if (earlier != null) {
      misuse.count(MisuseCounts.Kind.STARTED_TWICE);
      return earlier;
    }
    String place = environment == null ? "unknown" : environment;
    String named = model == null ? "unknown" : model;
    Run started =
        guarded(
            () -> new Run(this, runId, known.start(runId, contentOf(task), place, maxSteps, named)),
            Run.none(this, runId));
    if (!started.isRecorded()) {
      return started;
    }
    return put(started);
  }

  /** Of several threads that start one id at once, the first wins; the others' runs are none. */
  private Run put(Run started) {
    Run evicted = null;
    synchronized (open) {
      Run earlier = open.putIfAbsent(started.id(), started);
      if (earlier != null) {
        misuse.count(MisuseCounts.Kind.STARTED_TWICE);
        started.discard();
        return earlier;
      }
      if (open.size() > maxOpenRuns) {
        Iterator<Run> oldest = open.values().iterator();
        evicted = oldest.next();
        oldest.remove(); // here, or two threads would take the same
      } else if (open.size() == 1) {
        RunsAtExit.add(this);
      }
    }
    started.counted();
    if (evicted != null) {
      misuse.count(MisuseCounts.Kind.TOO_MANY_RUNS);
      evicted.closeUnended();
    }
    return started;
  }

  /** The open run of this id; where there is none, one that does nothing. */
  public Run run(@Nullable String runId) {
    Run found = runId == null ? null : find(runId);
    if (found != null) {
      return found;
    }
    if (spans != null) {
      misuse.count(runId == null ? MisuseCounts.Kind.NO_RUN_ID : MisuseCounts.Kind.UNKNOWN_RUN);
    }
    return Run.none(this, runId == null ? "" : runId);
  }

  /**
   * Starts a step of the run of this id: see {@link Run#step}.
   *
   * @param step the step's number
   * @param actionType what it does; {@code unknown} where null
   */
  public RunStep step(@Nullable String runId, int step, @Nullable String actionType) {
    return run(runId).step(step, actionType);
  }

  /** Ends the run of this id: see {@link Run#end}. */
  public void runEnded(
      @Nullable String runId,
      boolean completed,
      @Nullable String finalAnswer,
      @Nullable String runPath) {
    run(runId).end(completed, finalAnswer, runPath);
  }

  /** The trace of the open run of this id, 32 lower-case hex digits; empty where there is none. */
  public Optional<String> traceId(@Nullable String runId) {
    Run found = runId == null ? null : find(runId);
    return found == null ? Optional.empty() : found.traceId();
  }

  /** What is switched on, and where it goes. */
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
      return endpoint;
    }
    AgentLink agent = AgentLink.get();
    return agent != null && agent.active() ? "the run's collector" : "the application's SDK";
  }

  /** How many calls were ignored or corrected because they could not be right. */
  public long ignored() {
    return misuse.total();
  }

  /**
   * Closes the runs that are open, as not completed and with what is known of them. Happens by
   * itself at the end of the JVM, with the agent before its last export.
   */
  @Override
  public void close() {
    List<Run> unended;
    synchronized (open) {
      unended = new ArrayList<>(open.values());
    }
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
    StderrLog.warn(
        (unended.size() == 1 ? "a run was" : unended.size() + " runs were")
            + " never ended and closed with what is known: "
            + names
            + (unended.size() > NAMED_AT_CLOSE ? ", …" : ""));
  }

  /** The run has ended. */
  void forget(Run run) {
    synchronized (open) {
      if (open.remove(run.id(), run) && open.isEmpty()) {
        RunsAtExit.remove(this);
      }
    }
  }

  int openRuns() {
    synchronized (open) {
      return open.size();
    }
  }

  MisuseCounts misuse() {
    return misuse;
  }

  /** The text, or null where contents are not to be kept. */
  @Nullable String contentOf(@Nullable String text) {
    return content ? text : null;
  }

  /** Nothing of OpenTelemetry's that fails reaches the run. */
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

  private @Nullable Run find(String runId) {
    synchronized (open) {
      return open.get(runId);
    }
  }

  /** Hands to the agent what was said in code, and the seed's name for who named nothing. */
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
    if (!agent.configure(settings) && isAsked) {
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

  /** What a {@link RunTelemetry} is to do. Not for use by several threads. */
  public static final class Builder {

    private boolean enabled = true;
    private @Nullable String serviceName;
    private @Nullable String endpoint;
    private boolean metricsEnabled = true;
    private boolean content = true;
    private int maxOpenRuns = 1_024;

    private Builder() {}

    /** Whether anything is recorded. */
    public Builder enabled(boolean isEnabled) {
      enabled = isEnabled;
      return this;
    }

    /**
     * The resource attribute {@code service.name}; {@code OTEL_SERVICE_NAME} or {@code rlm-code}
     * where null. Without the agent the application's SDK decides.
     */
    public Builder serviceName(@Nullable String name) {
      serviceName = name;
      return this;
    }

    /**
     * The base URL of an OTLP collector; {@code OTEL_EXPORTER_OTLP_ENDPOINT} where null. Without
     * the agent the application's SDK decides.
     */
    public Builder endpoint(@Nullable String url) {
      endpoint = url;
      return this;
    }

    /** Whether the metrics {@code rlm.*} are recorded. */
    public Builder metricsEnabled(boolean areEnabled) {
      metricsEnabled = areEnabled;
      return this;
    }

    /** Whether task, code, output and final answer are kept. */
    public Builder content(boolean isKept) {
      content = isKept;
      return this;
    }

    /** How many runs may be open before the oldest is closed; 1,024 unless said otherwise. */
    public Builder maxOpenRuns(int most) {
      maxOpenRuns = Math.max(1, most);
      return this;
    }

    /** Never throws. */
    public RunTelemetry build() {
      return new RunTelemetry(this);
    }
  }
}
