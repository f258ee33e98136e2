package io.rollotel.traces.cli;

import io.rollotel.traces.collector.ClientTls;
import io.rollotel.traces.collector.OtlpHeaders;
import io.rollotel.traces.settings.EndpointText;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The variables {@code OTEL_EXPORTER_OTLP_*} of this process, for commands that send: the endpoint,
 * its headers and its certificates. A variable of traces comes before that of all signals.
 *
 * @param variables of the environment
 */
record OtlpEnvironment(Map<String, String> variables) {

  private static final String ALL = "OTEL_EXPORTER_OTLP_";

  private @Nullable String value(String name) {
    String ofTraces = variables.get(ALL + "TRACES_" + name);
    String value = ofTraces == null ? variables.get(ALL + name) : ofTraces;
    return value == null || value.isBlank() ? null : value.trim();
  }

  /**
   * Where the agent of such a process would send; the first one, if there are several. Null if no
   * variable says it.
   *
   * @throws IllegalArgumentException if it is no URL
   */
  @Nullable URI endpoint() {
    String value = value("ENDPOINT");
    return value == null ? null : URI.create(EndpointText.split(value).get(0));
  }

  /**
   * The headers, which may hold a secret. None for another host or port than {@link #endpoint}'s,
   * which must not see them.
   *
   * @throws IllegalArgumentException if they are malformed; the message quotes none
   */
  Map<String, String> headers(URI target) {
    String value = value("HEADERS");
    URI own = endpoint();
    if (value == null
        || own == null
        || !Objects.equals(own.getHost(), target.getHost())
        || own.getPort() != target.getPort()
        || !Objects.equals(own.getScheme(), target.getScheme())) {
      return Map.of();
    }
    return OtlpHeaders.of(value);
  }

  /**
   * Trusted certificates and the own one; null for the JVM's defaults.
   *
   * @throws IOException if a file cannot be read or holds something else; the message names it
   */
  @Nullable SSLContext tls() throws IOException {
    return ClientTls.of(value("CERTIFICATE"), value("CLIENT_KEY"), value("CLIENT_CERTIFICATE"));
  }
}
