package io.rollotel.agent.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.opentelemetry.exporter.otlp.internal.OtlpUserAgent;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.rollotel.traces.collector.HttpClient;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Where requests of OTLP go over HTTP without TLS, and how: as the user's settings say. The SDK's
 * exporters bring {@code java.net.http}, which loads and compiles more than the rest of the agent,
 * wakes three threads for each batch, and freezes settings of the host's ({@link HttpClient}).
 */
public final class OtlpEndpoint implements Closeable {

  private static final Set<Integer> PASSING_STATUS = Set.of(429, 502, 503, 504);

  private final URI endpoint;
  private final Map<String, String> headers;
  private final long timeoutNanos;
  private final boolean isGzip;
  private final @Nullable RetryPolicy retry;
  private final HttpClient client;

  /** Takes requests where the collector runs in this process; null where it does not. */
  private @Nullable Here here;

  private interface Here {
    void append(byte[] request) throws IOException;
  }

  private OtlpEndpoint(
      URI endpoint,
      Map<String, String> headers,
      Duration timeout,
      Duration connect,
      boolean isGzip,
      @Nullable RetryPolicy retry) {
    this.endpoint = endpoint;
    this.headers = headers;
    timeoutNanos = timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos(); // as the SDK has it
    this.isGzip = isGzip;
    this.retry = retry;
    client = HttpClient.to(endpoint, connect.toNanos());
    headers.put("Content-Type", "application/x-protobuf");
    if (isGzip) {
      headers.put("Content-Encoding", "gzip");
    }
  }

  /** Of the collector of a run. The own file is the better second try. */
  public static OtlpEndpoint ofRun(Rendezvous.Collector collector, Signal signal) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("User-Agent", OtlpUserAgent.getUserAgent());
    headers.put("Authorization", "Bearer " + collector.token());
    OtlpEndpoint ofRun =
        new OtlpEndpoint(
            URI.create(collector.endpoint() + "/v1/" + signal.plural()),
            headers,
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            false,
            null);
    Rendezvous.Requests requests = collector.here();
    if (requests != null) {
      ofRun.here = request -> requests.append(signal, request);
    }
    return ofRun;
  }

  /**
   * As the user's settings say; null where they ask for what this cannot do, or for what an
   * exporter of the SDK's is to complain of. The SDK's own reader of them makes a {@link
   * java.net.URL}, which asks the host for a handler and keeps it.
   */
  public static @Nullable OtlpEndpoint ofUser(ConfigProperties config, Signal signal) {
    String own = "otel.exporter.otlp." + signal.plural() + ".";
    String ofAll = "otel.exporter.otlp.";
    String endpoint = endpoint(config, signal);
    String compression =
        config.getString(own + "compression", config.getString(ofAll + "compression", "none"));
    boolean isGzip = compression.equals("gzip");
    if (endpoint == null || !(isGzip || compression.equals("none"))) {
      return null;
    }
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("User-Agent", OtlpUserAgent.getUserAgent());
    Map<String, String> given = config.getMap(own + "headers");
    for (Map.Entry<String, String> header :
        (given.isEmpty() ? config.getMap(ofAll + "headers") : given).entrySet()) {
      headers.put(header.getKey(), URLDecoder.decode(header.getValue(), UTF_8));
    }
    Duration timeout = config.getDuration(ofAll + "timeout", Duration.ofSeconds(10));
    return new OtlpEndpoint(
        URI.create(endpoint),
        headers,
        config.getDuration(own + "timeout", timeout),
        Duration.ofSeconds(10),
        isGzip,
        SpanExporters.retry(config));
  }

  private static @Nullable String endpoint(ConfigProperties config, Signal signal) {
    String protocol = config.getString("otel.exporter.otlp.protocol", "http/protobuf");
    String named = "otel.exporter.otlp." + signal.plural();
    if (!config.getString(named + ".protocol", protocol).equals("http/protobuf")) {
      return null;
    }
    String own = config.getString(named + ".endpoint");
    String endpoint =
        own != null
            ? own
            : config.getString("otel.exporter.otlp.endpoint", "http://localhost:4318");
    if (!endpoint.startsWith("http://")
        || endpoint.indexOf('?') >= 0
        || endpoint.indexOf('#') >= 0) {
      return null;
    }
    return own != null
        ? own
        : endpoint + (endpoint.endsWith("/") ? "v1/" : "/v1/") + signal.plural();
  }

  /**
   * Sends a request and waits until it is taken.
   *
   * @param patienceNanos the longest wait, where the settings do not say a shorter one
   * @throws IOException if it is not
   */
  public void send(byte[] request, long patienceNanos) throws IOException {
    if (here != null) {
      here.append(request);
      return;
    }
    byte[] body = isGzip ? zipped(request) : request;
    long deadlineNanos = System.nanoTime() + Math.min(timeoutNanos, patienceNanos);
    for (int attempt = 1; ; ) {
      IOException failure;
      boolean isPassing = true;
      try {
        int status = client.post(headers, body, deadlineNanos);
        if (status / 100 == 2) {
          return;
        }
        failure = new IOException("HTTP status " + status);
        isPassing = PASSING_STATUS.contains(status);
      } catch (ConnectException | SocketTimeoutException e) {
        failure = e;
      } catch (IOException e) {
        failure = e;
        isPassing = false;
      }
      attempt++;
      if (!isPassing
          || retry == null
          || attempt > retry.getMaxAttempts()
          || !pause(retry, attempt, deadlineNanos)) {
        throw failure;
      }
    }
  }

  private static byte[] zipped(byte[] request) throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream(request.length / 4);
    try (OutputStream out = new GZIPOutputStream(zipped)) {
      out.write(request);
    }
    return zipped.toByteArray();
  }

  /** Whether there is time for another attempt; if so, waits as long as the policy says. */
  private static boolean pause(RetryPolicy retry, int attempt, long deadlineNanos) {
    double most = (double) retry.getInitialBackoff().toNanos();
    for (int i = 2; i < attempt; i++) {
      most *= retry.getBackoffMultiplier();
    }
    double capped = Math.min(most, (double) retry.getMaxBackoff().toNanos());
    long nanos = (long) (capped * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
    if (deadlineNanos - System.nanoTime() <= nanos) {
      return false;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  Map<String, String> headers() {
    return headers;
  }

  long timeoutNanos() {
    return timeoutNanos;
  }

  /** Ends the connection, and a request that is under way. */
  @Override
  public void close() {
    client.close();
  }

  /** For messages: never the headers, which may hold a secret. */
  @Override
  public String toString() {
    return endpoint.toString();
  }
}
