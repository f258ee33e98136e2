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
 * What the endpoints of this process speak. It outlives the exporters, which are given up while
 * there is nothing to send, and spans and metrics that go to one port share what is known of it.
 */
public final class SpokenProtocols {

  private final Map<String, SpokenProtocol> found = new ConcurrentHashMap<>();

  /** Of each list of endpoints the one that took a request last; empty without lists. */
  private final Map<String, AtomicInteger> working = new ConcurrentHashMap<>();

  /** Which of several endpoints is to be asked first, by its number; whoever finds out sets it. */
  AtomicInteger workingOf(List<URI> endpoints) {
    StringBuilder hosts = new StringBuilder();
    for (URI endpoint : endpoints) {
      hosts.append(SpokenProtocol.authority(endpoint)).append(' ');
    }
    return working.computeIfAbsent(hosts.toString(), key -> new AtomicInteger());
  }

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
