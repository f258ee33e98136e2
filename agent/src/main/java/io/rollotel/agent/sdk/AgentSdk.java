package io.rollotel.agent.sdk;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.rollotel.agent.api.SharedParts;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.export.BatchingSpanProcessor;
import io.rollotel.agent.export.FallbackExporter;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.metrics.AgentMeterProvider;
import io.rollotel.agent.metrics.BackgroundMetricReader;
import io.rollotel.agent.profile.Profile;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.span.ExceptionAttributes;
import io.rollotel.agent.span.OsSeededIdGenerator;
import io.rollotel.agent.span.RecorderSpanProcessor;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.agent.span.Thinning;
import io.rollotel.agent.span.ThreadSpanProcessor;
import io.rollotel.agent.span.Tracers;
import io.rollotel.agent.span.WorkerTracer;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.ProcessFileName;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The agent's SDK, built by {@link SdkBuilder}, and the processor of its spans. */
final class AgentSdk {

  private static final List<String> FIRST_OF_RESOURCE =
      List.of(
          "service.name",
          "service.instance.id",
          "host.name",
          "process.pid",
          "roll.run_id",
          "roll.rank",
          "roll.world_size",
          "roll.cluster_name");

  private final BuiltSdk sdk;
  private final BatchingSpanProcessor queue;
  private final Tracer workerTracer;
  private final AgentMeterProvider meters;
  private final OpenTelemetry openTelemetry;

  private AgentSdk(
      BuiltSdk sdk, BatchingSpanProcessor queue, Tracer workerTracer, AgentMeterProvider meters) {
    this.sdk = sdk;
    this.queue = queue;
    this.workerTracer = workerTracer;
    this.meters = meters;
    openTelemetry = meters.with(sdk.tracers(), sdk.loggers(), sdk.propagators());
  }

  /**
   * @param users the additions of the application's code; left out if they fail
   */
  static AgentSdk build(
      SharedParts.Parts shared,
      Ledger ledger,
      RecordedCustomizer users,
      ExceptionAttributes exceptions) {
    Settings settings = shared.settings();
    Rendezvous rendezvous = shared.rendezvous();
    Recorder recorder = shared.recorder();
    ProcessName name = ProcessName.of(settings);
    String file = ProcessFileName.of(name.file());
    if (recorder.isWanted()) {
      // Runs in parallel, because it only needs the disk and classes of the JDK.
      AgentThreads.passing().execute(() -> recorder.make(file));
    }
    Profile profile = shared.profile();
    if (profile != null) {
      AgentThreads.passing().execute(() -> profile.start(file));
    }
    FallbackExporter exporter = new FallbackExporter(settings, rendezvous, name.file(), ledger);
    Thinning thinning = new Thinning(ledger);
    BatchingSpanProcessor queue = new BatchingSpanProcessor(exporter, ledger, recorder, thinning);
    RecorderSpanProcessor spanRecorder =
        new RecorderSpanProcessor(recorder, queue, Clock.getDefault());
    SpanProcessor ofRecorder = recorder.isWanted() ? spanRecorder : queue;
    SpanProcessor processor =
        profile == null ? ofRecorder : new ThreadSpanProcessor(ofRecorder, profile);
    ProcessResource resource = new ProcessResource(settings, rendezvous, name.instance());
    OsSeededIdGenerator ids = OsSeededIdGenerator.create();
    SdkBuilder.MetricSettings metrics = new SdkBuilder.MetricSettings();
    SdkBuilder parts =
        new SdkBuilder(
            settings,
            exporter,
            queue,
            processor,
            resource,
            ids,
            metrics,
            ledger,
            exceptions,
            thinning);
    Built built = built(parts, users);
    BuiltSdk sdk = built.sdk();
    RecordedCustomizer inForce = built.inForce();
    if (recorder.isWanted()) {
      recorder.open(file, recorded(resource.last));
    }
    SpanResource ofSpans =
        rendezvous.knownRunId() != null || resource.last.getAttribute(SpanResource.RUN_ID) != null
            ? SpanResource.whole(resource.last)
            : SpanResource.withoutRun(
                resource.last, rendezvous::runId, whole -> recorder.resource(recorded(whole)));
    queue.setResource(ofSpans);
    queue.start();
    boolean endpointGiven = settings.endpointGiven("metrics");
    File ownFile = rendezvous.ownFile(name.file());
    AgentMeterProvider meters =
        new AgentMeterProvider(
            () ->
                new BackgroundMetricReader(
                    rendezvous,
                    endpointGiven,
                    metrics.config,
                    metrics.exporters,
                    ownFile,
                    exporter.protocols(),
                    ofSpans));
    return new AgentSdk(
        sdk,
        queue,
        inForce.seesSpans()
            ? sdk.tracers().get(Tracers.WORKER_SCOPE)
            : workerTracer(
                sdk,
                profile == null ? queue : new ThreadSpanProcessor(queue, profile),
                spanRecorder,
                parts,
                ofSpans),
        meters);
  }

  /**
   * An SDK.
   *
   * @param inForce the additions of the application's code that it has
   */
  private record Built(BuiltSdk sdk, RecordedCustomizer inForce) {}

  /** With as much of what the user wants as possible: a wrong setting must not stop tracing. */
  private static Built built(SdkBuilder parts, RecordedCustomizer users) {
    Throwable failure;
    try {
      return built(parts, users, Map.of());
    } catch (RuntimeException | LinkageError e) {
      failure = e;
    }
    RefusedSettings refused = RefusedSettings.of(parts.settings());
    refused.complaints().forEach(AgentLog::warn);
    if (!refused.complaints().isEmpty()) {
      try {
        return built(parts, users, refused.replacements());
      } catch (RuntimeException | LinkageError e) {
        failure = e;
      }
    }
    RecordedCustomizer nothing = new RecordedCustomizer();
    if (!users.isEmpty()) {
      try {
        Built without = built(parts, nothing, refused.replacements());
        SdkCustomizers.failed("what the application adds to the SDK", failure);
        return without;
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    AgentLog.warn(
        "OTEL_* settings are ignored, except those of exporters: "
            + RefusedSettings.cause(failure));
    return new Built(parts.plain(), nothing);
  }

  private static Built built(
      SdkBuilder parts, RecordedCustomizer users, Map<String, String> replacements) {
    return new Built(
        users.isEmpty() && parts.areEnough()
            ? parts.direct(replacements)
            : parts.autoconfigured(users, replacements),
        users);
  }

  /**
   * The parts that the SDK was built with. The only processor is the queue, since worker spans
   * report to the recorder themselves.
   */
  private static WorkerTracer workerTracer(
      BuiltSdk sdk,
      SpanProcessor queue,
      RecorderSpanProcessor recorder,
      SdkBuilder parts,
      SpanResource resource) {
    SdkTracerProvider provider = sdk.tracers();
    return new WorkerTracer(
        provider.get(Tracers.WORKER_SCOPE),
        InstrumentationScopeInfo.create(Tracers.WORKER_SCOPE),
        resource,
        provider.getSpanLimits(),
        queue,
        provider.getSampler() instanceof SuppressingSampler suppressing
            ? suppressing.configured()
            : provider.getSampler(),
        Clock.getDefault(),
        parts.ids(),
        parts.ledger(),
        recorder,
        parts.exceptions(),
        parts.thinning());
  }

  Tracer workerTracer() {
    return workerTracer;
  }

  OpenTelemetry openTelemetry() {
    return openTelemetry;
  }

  BatchingSpanProcessor processor() {
    return queue;
  }

  /**
   * The provider stays open: spans that end later are still counted or kept, see {@link
   * BatchingSpanProcessor}.
   */
  void close(long deadlineNanos, boolean atExit) {
    queue.close(deadlineNanos, atExit);
    meters.close(deadlineNanos);
  }

  /**
   * Called after {@link #close}: tracers that the application keeps create no spans from now on.
   */
  void detach() {
    sdk.shutdown();
  }

  /**
   * For the recorder: the attributes that identify the process come first, since there may not be
   * room for all.
   */
  private static Map<String, Object> recorded(Resource resource) {
    Map<String, Object> all = new LinkedHashMap<>();
    Map<AttributeKey<?>, Object> attributes = resource.getAttributes().asMap();
    for (String key : FIRST_OF_RESOURCE) {
      all.put(key, "");
    }
    for (Map.Entry<AttributeKey<?>, Object> attribute : attributes.entrySet()) {
      all.put(attribute.getKey().getKey(), attribute.getValue());
    }
    all.values().removeAll(Set.of(""));
    return all;
  }
}
