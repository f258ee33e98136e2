package io.rollotel.agent.export;

import io.opentelemetry.exporter.otlp.internal.OtlpUserAgent;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.rollotel.traces.collector.ClientTls;
import io.rollotel.traces.collector.OtlpHeaders;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.settings.EndpointText;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How requests are sent to an endpoint.
 *
 * @param headers may hold a secret
 * @param timeoutNanos for one request with all its attempts
 * @param connect how long a connection may take
 * @param retry null for none
 * @param tls trusted certificates and the own one; null for the JVM's defaults
 */
record OtlpSettings(
    Map<String, String> headers,
    long timeoutNanos,
    Duration connect,
    boolean isGzip,
    @Nullable RetryPolicy retry,
    @Nullable SSLContext tls) {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final String ALL = "otel.exporter.otlp.";

  /** For the collector of a run. */
  static OtlpSettings ofRun(String token) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("User-Agent", OtlpUserAgent.getUserAgent());
    headers.put("Authorization", "Bearer " + token);
    return new OtlpSettings(headers, TIMEOUT.toNanos(), Duration.ofSeconds(2), false, null, null);
  }

  /**
   * As the user says.
   *
   * @throws IllegalArgumentException for a compression that is not known
   * @throws IOException if a file with a certificate or key cannot be read
   */
  static OtlpSettings ofUser(ConfigProperties config, Signal signal, URI url) throws IOException {
    String own = ALL + signal.plural() + ".";
    String given = setting(config, own, "compression");
    String compression = given == null ? "none" : given;
    if (!compression.equals("gzip") && !compression.equals("none")) {
      throw new IllegalArgumentException(
          "OTEL_EXPORTER_OTLP_COMPRESSION takes gzip or none, not " + compression);
    }
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("User-Agent", OtlpUserAgent.getUserAgent());
    Map<String, String> ofSignal = headers(config, own + "headers");
    for (Map.Entry<String, String> header :
        (ofSignal.isEmpty() ? headers(config, ALL + "headers") : ofSignal).entrySet()) {
      headers.put(header.getKey(), OtlpHeaders.decoded(header.getValue()));
    }
    Duration timeout =
        config.getDuration(own + "timeout", config.getDuration(ALL + "timeout", TIMEOUT));
    return new OtlpSettings(
        headers,
        timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos(), // as the SDK has it
        Duration.ofSeconds(10),
        compression.equals("gzip"),
        SpanExporters.retry(config),
        "https".equals(url.getScheme()) ? tls(config, own) : null);
  }

  /** The SDK's own message quotes the value, which may be a secret. */
  private static Map<String, String> headers(ConfigProperties config, String property) {
    if (text(config, property) == null) {
      return Map.of(); // without the streams that a map needs
    }
    try {
      return config.getMap(property);
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(
          property.replace('.', '_').toUpperCase(Locale.ROOT)
              + " takes key=value, separated by commas, with the values URL-encoded");
    }
  }

  private static @Nullable SSLContext tls(ConfigProperties config, String own) throws IOException {
    return ClientTls.of(
        setting(config, own, "certificate"),
        setting(config, own, "client.key"),
        setting(config, own, "client.certificate"));
  }

  private static @Nullable String setting(ConfigProperties config, String own, String name) {
    String ofSignal = text(config, own + name);
    return ofSignal != null ? ofSignal : text(config, ALL + name);
  }

  /** A setting's text. Null also for a blank one: OpenTelemetry treats those as unset. */
  static @Nullable String text(ConfigProperties config, String property) {
    String given = config.getString(property);
    return given == null || given.isBlank() ? null : given;
  }

  /**
   * The addresses for requests of a signal by HTTP: usually one; of several, the first that accepts
   * them.
   *
   * @throws IllegalArgumentException for an endpoint that is not a URL; the message says what to
   *     write
   */
  static List<URI> urls(ConfigProperties config, Signal signal) {
    String own = text(config, ALL + signal.plural() + ".endpoint");
    String ofAll = text(config, ALL + "endpoint");
    String given = own != null ? own : ofAll != null ? ofAll : "http://localhost:4318";
    boolean isInCode = own == null && config.getBoolean(OtlpEndpoint.IS_IN_CODE, false);
    String variable =
        "OTEL_EXPORTER_OTLP_" + (own != null ? signal.name() + "_ENDPOINT" : "ENDPOINT");
    String name = isInCode ? "the endpoint " : variable + "=";
    List<URI> urls = new ArrayList<>();
    for (String one : EndpointText.split(given)) {
      String ofSignal = one + (one.endsWith("/") ? "v1/" : "/v1/") + signal.plural();
      urls.add(checked(name, own != null ? one : ofSignal, one));
    }
    return urls;
  }

  private static URI checked(String name, String url, String given) {
    String shown = EndpointText.withoutUser(given);
    if (!given.contains("://")) {
      throw new IllegalArgumentException(
          name + shown + " has no scheme: write http://" + shown + ", or https://" + shown);
    }
    if (!given.startsWith("http://") && !given.startsWith("https://")) {
      throw new IllegalArgumentException(name + shown + " is neither http:// nor https://");
    }
    if (given.indexOf('?') >= 0 || given.indexOf('#') >= 0) {
      throw new IllegalArgumentException(name + shown + " holds a '?' or '#'");
    }
    int path = given.indexOf('/', given.indexOf("://") + 3);
    String host = path < 0 ? given : given.substring(0, path);
    if (host.indexOf(',', host.lastIndexOf('@') + 1) >= 0) { // a password may have one
      throw new IllegalArgumentException(
          name + shown + ": write http:// or https:// before each address of a list");
    }
    return URI.create(url);
  }

  boolean isEncrypted(URI url) {
    return "https".equals(url.getScheme());
  }

  /** The headers as gRPC has them. */
  Map<String, List<String>> metadata() {
    Map<String, List<String>> metadata = new LinkedHashMap<>();
    headers.forEach(
        (name, value) -> {
          String lower = name.toLowerCase(Locale.ROOT);
          if (!lower.equals("user-agent")) { // grpc-java's own
            metadata.put(lower, List.of(value));
          }
        });
    return metadata;
  }
}
