package io.rollotel.agent.metrics;

import io.opentelemetry.exporter.internal.otlp.metrics.MetricsRequestMarshaler;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.metrics.ConfigurableMetricExporterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.rollotel.agent.export.OtlpEndpoint;
import io.rollotel.agent.export.SpokenProtocols;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where a report goes: to the endpoint or the exporter that the user named, or to the run's
 * collector; and the process's own file. Its methods may hang, so they run on threads that end by
 * themselves; any thread.
 */
final class MetricDestination {

  private final Rendezvous rendezvous;
  private final boolean endpointGiven;
  private final @Nullable ConfigProperties config;
  private final List<String> exporterNames;
  private final File ownFile;
  private final SpokenProtocols protocols;

  /** The endpoint of the last report, for messages. */
  private volatile String shown = "the endpoint";

  MetricDestination(
      Rendezvous rendezvous,
      boolean endpointGiven,
      @Nullable ConfigProperties config,
      List<String> exporterNames,
      File ownFile,
      SpokenProtocols protocols) {
    this.rendezvous = rendezvous;
    this.endpointGiven = endpointGiven;
    this.config = config;
    this.exporterNames = exporterNames;
    this.ownFile = ownFile;
    this.protocols = protocols;
  }

  /**
   * Sends a report.
   *
   * @return false if nothing took it
   */
  boolean send(Collection<MetricData> metrics, long patienceNanos) throws IOException {
    if (exporterNames.isEmpty() || exporterNames.contains("otlp")) {
      try (OtlpEndpoint endpoint = endpoint()) {
        if (endpoint != null) {
          shown = endpoint.toString();
          PartialSuccess partial = endpoint.send(encoded(metrics), patienceNanos);
          if (partial.rejected() > 0) {
            AgentLog.warnOnce(
                endpoint + " accepts requests but rejects some of their data points",
                partial.asFirst());
          }
        }
        return endpoint != null;
      }
    }
    MetricExporter exporter = configured();
    if (exporter == null) {
      return false;
    }
    try {
      return exporter.export(metrics).join(patienceNanos, TimeUnit.NANOSECONDS).isSuccess();
    } finally {
      exporter.shutdown();
    }
  }

  /** Writes a report to the own file. */
  void keep(Collection<MetricData> metrics) throws Exception {
    byte[] bytes = encoded(metrics);
    synchronized (ownFile) { // one report after the other, each in whole lines
      FileRules rules = FileRules.DEFAULT.within(rendezvous.runBytes());
      try (TracesWriter writer = TracesWriter.open(ownFile, Signal.METRICS, rules)) {
        writer.write(bytes, 0, bytes.length);
      }
    }
  }

  /** Null if there is no collector, or the user's settings are invalid. */
  private @Nullable OtlpEndpoint endpoint() throws IOException {
    if (endpointGiven) {
      try {
        return config == null ? null : OtlpEndpoint.ofUser(config, Signal.METRICS, protocols);
      } catch (IllegalArgumentException e) {
        AgentLog.warnOnce("metrics are not sent: " + e.getMessage());
        return null;
      }
    }
    Rendezvous.Collector collector = rendezvous.collector();
    return collector == null ? null : OtlpEndpoint.ofRun(collector, Signal.METRICS);
  }

  private static byte[] encoded(Collection<MetricData> metrics) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    MetricsRequestMarshaler.create(metrics).writeBinaryTo(request);
    return request.toByteArray();
  }

  /** By the user's OTEL_* settings. */
  private @Nullable MetricExporter configured() {
    ConfigProperties known = config;
    if (known == null) {
      return null;
    }
    for (ConfigurableMetricExporterProvider provider :
        ServiceLoader.load(
            ConfigurableMetricExporterProvider.class, MetricDestination.class.getClassLoader())) {
      if (exporterNames.contains(provider.getName())) {
        return provider.createExporter(known);
      }
    }
    return null; // reported with the other invalid settings
  }

  @Override
  public String toString() {
    return shown;
  }
}
