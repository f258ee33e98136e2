package io.rollotel.agent.api;

import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.WorkerEnvironment;
import java.io.File;
import java.util.Locale;
import java.util.Map;

/** What this process hands on to one that it starts, so that its spans go where these go. */
final class HandedOn {

  private static final String OTLP = "otel.exporter.otlp.";

  private HandedOn() {}

  /** Environment variables. May start the run's collector. */
  static Map<String, String> of(SharedParts.Parts parts) {
    Settings settings = parts.settings();
    String attributes = settings.otel("otel.resource.attributes");
    boolean toFile = settings.exporter() == Settings.Exporter.FILE;
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
    return variables;
  }
}
