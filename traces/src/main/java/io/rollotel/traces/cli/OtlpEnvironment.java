package io.rollotel.traces.cli;

import io.rollotel.traces.collector.ClientTls;
import io.rollotel.traces.collector.HostPort;
import io.rollotel.traces.collector.OtlpHeaders;
import io.rollotel.traces.settings.EndpointText;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
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
    for (String prefix : List.of(ALL + "TRACES_", ALL)) {
      String value = variables.get(prefix + name);
      if (value != null && !value.isBlank()) {
        return value.trim();
      }
    }
    return null;
  }

  /**
   * Where the agent of such a process would send; the first one, if there are several. Null if no
   * variable says it.
   *
   * @throws IllegalArgumentException if it is not a URL
   */
  @Nullable URI endpoint() {
    String value = value("ENDPOINT");
    if (value == null) {
      return null;
    }
    String first = EndpointText.split(value).get(0);
    try {
      return new URI(first);
    } catch (URISyntaxException e) { // its message has the password
      throw new IllegalArgumentException(
          ALL + "ENDPOINT=" + EndpointText.withoutUser(first) + " is not a URL");
    }
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
    return value == null || own == null || !isSame(own, target) ? Map.of() : OtlpHeaders.of(value);
  }

  private static boolean isSame(URI own, URI target) {
    if (!String.valueOf(own.getScheme()).equalsIgnoreCase(target.getScheme())) {
      return false;
    }
    HostPort one = HostPort.of(own);
    HostPort other = HostPort.of(target);
    return one.port() == other.port() && one.host().equalsIgnoreCase(other.host());
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
