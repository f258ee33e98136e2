package io.rollotel.agent.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.otlp.Signal;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The protocols of this process's endpoints. This object outlives the exporters, which are dropped
 * while there is nothing to send. Spans and metrics that go to one port share its entry.
 */
public final class SpokenProtocols {

  private final Map<String, SpokenProtocol> found = new ConcurrentHashMap<>();

  /** The endpoint that took the last request, for each list of endpoints; empty without lists. */
  private final Map<String, AtomicInteger> working = new ConcurrentHashMap<>();

  /** The number of the endpoint to try first; set by the thread that finds out. */
  AtomicInteger workingOf(List<URI> endpoints) {
    StringBuilder hosts = new StringBuilder();
    for (URI endpoint : endpoints) {
      hosts.append(SpokenProtocol.authority(endpoint)).append(' ');
    }
    return working.computeIfAbsent(hosts.toString(), key -> new AtomicInteger());
  }

  /** The protocol of an endpoint, if it is known. */
  SpokenProtocol of(URI endpoint, ConfigProperties config, Signal signal) {
    for (String property :
        List.of(
            "otel.exporter.otlp." + signal.plural() + ".protocol", "otel.exporter.otlp.protocol")) {
      String given = OtlpSettings.text(config, property);
      if (given != null) {
        String variable = property.toUpperCase(Locale.ROOT).replace('.', '_');
        return new SpokenProtocol(endpoint, OtlpProtocol.named(given), variable);
      }
    }
    return found.computeIfAbsent(
        endpoint.getScheme() + "://" + SpokenProtocol.authority(endpoint),
        key -> new SpokenProtocol(endpoint, OtlpProtocol.expectedOf(endpoint), null));
  }
}
