package io.rollotel.agent.metrics;

import io.opentelemetry.exporter.internal.ExporterBuilderUtil;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.ExemplarFilter;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.DelegatingMetricData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.DefaultAggregationSelector;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.background.PassingCall;
import io.rollotel.agent.export.BatchingSpanProcessor;
import io.rollotel.agent.export.OtlpEndpoint;
import io.rollotel.agent.export.SpokenProtocols;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.recording.HostName;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exports metrics every {@code otel.metric.export.interval} and at the end: to the destination of
 * spans, or otherwise to the process's own file beside the collector's file.
 *
 * <p>Not the SDK's periodic reader, for {@link BatchingSpanProcessor}'s reasons. An exporter lives
 * for one report, so it cannot keep the classes of a dropped application.
 */
public final class BackgroundMetricReader implements MetricReader, LongSupplier {

  private static final Duration INTERVAL = Duration.ofSeconds(60);
  private static final long PATIENCE_SECONDS = 10;

  /**
   * How long the last report waits to collect and to write the own file, which normally takes
   * milliseconds. A hanging callback or disk must not keep the process from ending.
   */
  private static final long LAST_KEEPING_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The same for other reports. A report that takes longer is assumed to hang. */
  private static final long KEEPING_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final boolean endpointGiven;
  private final List<String> exporterNames;
  private final @Nullable ConfigProperties config;
  private final File ownFile;
  private final MetricDestination destination;
  private final SpanResource resource;
  private final long intervalNanos;
  private AggregationTemporalitySelector temporality =
      AggregationTemporalitySelector.alwaysCumulative();
  private DefaultAggregationSelector aggregation = DefaultAggregationSelector.getDefault();

  private volatile CollectionRegistration registration = CollectionRegistration.noop();
  private volatile @Nullable BackgroundTask task;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean told = new AtomicBoolean();
  private boolean started;

  /** The operation that a report waited for without result. */
  private volatile @Nullable PassingCall<?> hungCall;

  /**
   * @param config the user's {@code OTEL_*} settings, or null if they are not understood
   * @param exporterNames the names in {@code OTEL_METRICS_EXPORTER}; none means otlp
   * @param spansFile the process's own file of spans
   * @param protocols known facts about this process's endpoints
   * @param resource the source of the metrics, as for spans
   */
  public BackgroundMetricReader(
      Rendezvous rendezvous,
      boolean endpointGiven,
      @Nullable ConfigProperties config,
      List<String> exporterNames,
      File spansFile,
      SpokenProtocols protocols,
      SpanResource resource) {
    this.resource = resource;
    this.endpointGiven = endpointGiven;
    this.config = config;
    this.exporterNames = exporterNames;
    File directory = spansFile.getAbsoluteFile().getParentFile().getParentFile();
    ownFile = new File(new File(directory, Signal.METRICS.plural()), spansFile.getName());
    destination =
        new MetricDestination(rendezvous, endpointGiven, config, exporterNames, ownFile, protocols);
    Duration interval =
        config == null ? INTERVAL : config.getDuration("otel.metric.export.interval", INTERVAL);
    intervalNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(100), interval.toNanos());
    if (config != null) {
      readShape(config);
    }
  }

  /** Reads those settings of the SDK's exporter that a reader applies. */
  private void readShape(ConfigProperties from) {
    try {
      ExporterBuilderUtil.configureOtlpAggregationTemporality(from, chosen -> temporality = chosen);
      ExporterBuilderUtil.configureOtlpHistogramDefaultAggregation(
          from, chosen -> aggregation = chosen);
    } catch (ConfigurationException e) {
      AgentLog.warnOnce("metrics are exported with default settings: " + e.getMessage());
    }
  }

  /** How the user wants exemplars chosen: by default, those of sampled spans. */
  ExemplarFilter exemplarFilter() {
    String filter = config == null ? null : config.getString("otel.metrics.exemplar.filter");
    return "always_off".equalsIgnoreCase(filter)
        ? ExemplarFilter.alwaysOff()
        : "always_on".equalsIgnoreCase(filter)
            ? ExemplarFilter.alwaysOn()
            : ExemplarFilter.traceBased();
  }

  /** Whether the user wants none. */
  boolean isNone() {
    return exporterNames.equals(List.of("none"));
  }

  void start() {
    task = BackgroundTask.start("roll-otel-metrics", this);
  }

  /** One round of the background thread; the first only waits. */
  @Override
  public long getAsLong() {
    PassingCall<?> hung = hungCall;
    if (hung != null && hung.isStuck()) {
      AgentLog.warnOnce(
          "metrics are not reported: a callback, or " + ownFile + ", does not return");
    } else if (started && !closed.get()) {
      hungCall = null;
      report(System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), false);
    }
    started = true;
    return intervalNanos;
  }

  /**
   * Reports for the last time, even while another report is in progress: this one waits for nothing
   * that the other waits for. A second call does nothing.
   */
  void close(long deadlineNanos) {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    BackgroundTask running = task;
    if (running != null) {
      running.stop();
    }
    report(deadlineNanos, true);
  }

  /**
   * Takes no lock: the application's own callbacks are part of a report, and may never return.
   *
   * @param last whether this is the last report, whose waits are short
   */
  private void report(long deadlineNanos, boolean last) {
    boolean interrupted = Thread.interrupted(); // the application's interrupt, restored below
    try {
      long keepingNanos = last ? LAST_KEEPING_NANOS : KEEPING_NANOS;
      Collection<MetricData> metrics =
          onPassingThread(this::collected, Math.max(keepingNanos, left(deadlineNanos)));
      if (metrics.isEmpty() || exported(metrics, left(deadlineNanos))) {
        return;
      }
      // The last report contains these totals, but not these deltas.
      if (last || !closed.get() || !isCumulative()) {
        onPassingThread(
            () -> {
              destination.keep(metrics);
              return true;
            },
            keepingNanos);
      }
    } catch (TimeoutException e) {
      AgentLog.warnOnce("metrics are lost: a callback, or " + ownFile + ", did not answer in time");
    } catch (InterruptedException e) {
      interrupted = true;
      AgentLog.warnOnce("metrics are lost: the thread that waited for them was interrupted");
    } catch (Exception | Error e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      AgentLog.warnOnce("metrics can neither be delivered nor kept in " + ownFile + ": " + cause);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isCumulative() {
    return getAggregationTemporality(InstrumentType.COUNTER) == AggregationTemporality.CUMULATIVE;
  }

  private static long left(long deadlineNanos) {
    return Math.max(0, deadlineNanos - System.nanoTime());
  }

  /** Adds the resource now: the run may have been unknown when the meter was made. */
  private Collection<MetricData> collected() {
    List<MetricData> all = new ArrayList<>();
    for (MetricData metric : registration.collectAllMetrics()) {
      all.add(new InRun(metric, resource.decided()));
    }
    return all;
  }

  private static final class InRun extends DelegatingMetricData {

    private final Resource whole;

    InRun(MetricData metric, Resource whole) {
      super(metric);
      this.whole = whole;
    }

    @Override
    public Resource getResource() {
      return whole;
    }
  }

  /**
   * On a thread that ends by itself, because collecting and marshalling leave thread locals behind.
   */
  private <T> T onPassingThread(Callable<T> work, long patienceNanos) throws Exception {
    PassingCall<T> call = new PassingCall<>(work);
    try {
      return call.get(patienceNanos);
    } catch (TimeoutException e) {
      hungCall = call;
      throw e;
    }
  }

  private boolean exported(Collection<MetricData> metrics, long patienceNanos) throws Exception {
    if (patienceNanos == 0) {
      return false;
    }
    try {
      return onPassingThread(() -> destination.send(metrics, patienceNanos), patienceNanos);
    } catch (ExecutionException e) {
      tellUndelivered(OtlpEndpoint.reason(e));
      return false;
    } catch (TimeoutException e) {
      tellUndelivered("it did not answer in time");
      return false;
    }
  }

  /** Once. The run's own collector ends with its driver, as drivers do at the end of a run. */
  private void tellUndelivered(String why) {
    AgentLog.debug("export of metrics failed: " + why);
    if (endpointGiven && told.compareAndSet(false, true)) {
      AgentLog.warn(
          "cannot deliver metrics to "
              + destination
              + " ("
              + why
              + "); until it answers they go to "
              + ownFile
              + " on "
              + HostName.get());
    }
  }

  @Override
  public void register(CollectionRegistration newRegistration) {
    registration = newRegistration;
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType type) {
    return temporality.getAggregationTemporality(type);
  }

  @Override
  public Aggregation getDefaultAggregation(InstrumentType type) {
    return aggregation.getDefaultAggregation(type);
  }

  @Override
  public CompletableResultCode forceFlush() {
    BackgroundTask running = task;
    if (running != null) {
      running.wake();
    }
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }

  /** Returns the recorded data, for a trial. */
  static final class Once implements MetricReader {

    private CollectionRegistration registration = CollectionRegistration.noop();

    Collection<MetricData> collect() {
      return registration.collectAllMetrics();
    }

    @Override
    public void register(CollectionRegistration newRegistration) {
      registration = newRegistration;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
