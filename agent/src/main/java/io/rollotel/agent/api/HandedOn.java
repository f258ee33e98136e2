package io.rollotel.agent.api;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.settings.Exporter;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.collector.PortProbe;
import io.rollotel.traces.collector.WorkerEnvironment;
import java.io.File;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The settings that this process passes to a process it starts, so that both send their spans to
 * the same place.
 */
final class HandedOn {

  private static final String OTLP = "otel.exporter.otlp.";

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private HandedOn() {}

  /** Environment variables. May start the run's collector. */
  static Map<String, String> of(SharedParts.Parts parts) {
    Settings settings = parts.settings();
    String attributes = settings.otel("otel.resource.attributes");
    boolean toFile = settings.exporter() == Exporter.FILE;
    if (!toFile && !settings.endpointGiven("traces")) {
      return parts.rendezvous().workerEnvironment().variables(attributes);
    }
    Map<String, String> variables =
        new WorkerEnvironment(
                parts.rendezvous().runId(), null, new File(settings.outputDir()).getAbsoluteFile())
            .variables(attributes);
    if (toFile) {
      variables.put("ROLL_OTEL_EXPORTER", "file");
      return variables;
    }
    for (String name : settings.otelNames()) {
      String value = name.startsWith(OTLP) ? settings.otel(name) : null;
      if (value != null) {
        variables.put(name.replace('.', '_').toUpperCase(Locale.ROOT), value);
      }
    }
    String protocol = protocol(settings);
    if (protocol != null) {
      variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", protocol);
    }
    return variables;
  }

  /**
   * The protocol of the port, which SDKs in other languages do not detect; probes the port. Null if
   * the user has set it.
   */
  private static @Nullable String protocol(Settings settings) {
    String ofTraces = settings.otel(OTLP + "traces.endpoint");
    String endpoint = ofTraces != null ? ofTraces : settings.otel(OTLP + "endpoint");
    if (endpoint == null || !settings.otlpProtocols().isEmpty()) {
      return null;
    }
    try {
      URI uri = URI.create(endpoint);
      OtlpProtocol expected = OtlpProtocol.expectedOf(uri);
      PortProbe port = new PortProbe(uri, null, AgentThreads.passing(), PATIENCE_NANOS);
      return port.spoken(expected).orElse(expected).setting();
    } catch (IllegalArgumentException e) {
      return null; // no endpoint; the exporter reports that
    }
  }
}
