package io.rollotel.agent.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.otlp.Signal;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the endpoints of this process speak. It outlives the exporters, which are given up while
 * there is nothing to send, and spans and metrics that go to one port share what is known of it.
 */
public final class SpokenProtocols {

  private final Map<String, SpokenProtocol> found = new ConcurrentHashMap<>();

  /** What an endpoint speaks, as far as it is known. */
  SpokenProtocol of(URI endpoint, ConfigProperties config, Signal signal) {
    for (String property :
        List.of(
            "otel.exporter.otlp." + signal.plural() + ".protocol", "otel.exporter.otlp.protocol")) {
      String given = config.getString(property);
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
