package io.rollotel.agent.export;

import io.opentelemetry.exporter.otlp.internal.OtlpConfigUtil;
import io.opentelemetry.exporter.otlp.internal.OtlpUserAgent;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.background.BackgroundTask;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * OTLP over HTTP without TLS, by the simplest client of the JDK. The SDK's exporter brings {@code
 * java.net.http}, which loads and compiles more than the rest of the agent and wakes three threads
 * for each batch.
 */
final class HttpSpanExporter implements SpanExporter {

  private static final Set<Integer> PASSING_STATUS = Set.of(429, 502, 503, 504);

  private static final int MOST_OF_AN_ANSWER = 64 << 10;

  private final URI endpoint;
  private final Map<String, String> headers;
  private final long timeoutNanos;
  private final int connectMillis;
  private final boolean isGzip;
  private final @Nullable RetryPolicy retry;

  /** Where one request is sent at a time, so that the exporter's memory is used again. */
  private final TraceRequestEncoder request = new TraceRequestEncoder();

  private HttpSpanExporter(
      URI endpoint,
      Map<String, String> headers,
      Duration timeout,
      Duration connect,
      boolean isGzip,
      @Nullable RetryPolicy retry) {
    this.endpoint = endpoint;
    this.headers = headers;
    timeoutNanos = timeout.toNanos();
    connectMillis = (int) connect.toMillis();
    this.isGzip = isGzip;
    this.retry = retry;
  }

  /** To the collector of a run. The own file is the better second try. */
  static HttpSpanExporter ofRun(URI endpoint, String token) {
    Map<String, String> headers = new LinkedHashMap<>();
    OtlpUserAgent.addUserAgentHeader(headers::put);
    headers.put("Authorization", "Bearer " + token);
    return new HttpSpanExporter(
        endpoint, headers, Duration.ofSeconds(10), Duration.ofSeconds(2), false, null);
  }

  /**
   * As the user's settings say; null where they ask for what this cannot do.
   *
   * @throws RuntimeException where they cannot be understood
   */
  static @Nullable HttpSpanExporter ofUser(ConfigProperties config, @Nullable RetryPolicy retry) {
    Map<String, String> headers = new LinkedHashMap<>();
    OtlpUserAgent.addUserAgentHeader(headers::put);
    String[] texts = {"http://localhost:4318/v1/traces", "none"};
    Duration[] timeout = {Duration.ofSeconds(10)};
    OtlpConfigUtil.configureOtlpExporterBuilder(
        OtlpConfigUtil.DATA_TYPE_TRACES,
        config,
        loader -> {},
        given -> texts[0] = given,
        headers::put,
        given -> texts[1] = given,
        given -> timeout[0] = given,
        certificates -> {},
        (key, chain) -> {},
        policy -> {},
        memory -> {});
    URI endpoint = URI.create(texts[0]);
    boolean isGzip = texts[1].equals("gzip");
    return "http".equals(endpoint.getScheme()) && (isGzip || texts[1].equals("none"))
        ? new HttpSpanExporter(endpoint, headers, timeout[0], Duration.ofSeconds(10), isGzip, retry)
        : null;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode result = new CompletableResultCode();
    BackgroundTask.passing()
        .execute(
            () -> {
              try {
                send(spans);
                result.succeed();
              } catch (IOException | RuntimeException | LinkageError e) {
                result.failExceptionally(e);
              }
            });
    return result;
  }

  /** One at a time: a request that was given up may still be waiting for its time-out. */
  private synchronized void send(Collection<SpanData> spans) throws IOException {
    byte[] body = request.of(spans);
    if (isGzip) {
      ByteArrayOutputStream zipped = new ByteArrayOutputStream(body.length / 4);
      try (OutputStream out = new GZIPOutputStream(zipped)) {
        out.write(body);
      }
      body = zipped.toByteArray();
    }
    long deadlineNanos = System.nanoTime() + timeoutNanos;
    boolean mayBeStale = true; // a connection kept from before may have been closed meanwhile
    for (int attempt = 1; ; ) {
      IOException failure;
      boolean isPassing = true;
      try {
        int status = post(body, deadlineNanos);
        if (status / 100 == 2) {
          return;
        }
        failure = new IOException("HTTP status " + status);
        isPassing = PASSING_STATUS.contains(status);
      } catch (ConnectException | SocketTimeoutException e) {
        failure = e;
      } catch (IOException e) {
        if (mayBeStale) {
          mayBeStale = false;
          continue;
        }
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

  private int post(byte[] body, long deadlineNanos) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) endpoint.toURL().openConnection();
    int leftMillis =
        (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
    connection.setConnectTimeout(Math.min(connectMillis, leftMillis));
    connection.setReadTimeout(leftMillis);
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/x-protobuf");
    if (isGzip) {
      connection.setRequestProperty("Content-Encoding", "gzip");
    }
    headers.forEach(connection::setRequestProperty);
    // Else it would hold a copy, and send a second time whatever it takes for lost.
    connection.setFixedLengthStreamingMode(body.length);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
    int status = connection.getResponseCode();
    // Read to its end, so that the connection is kept.
    try (InputStream in =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      if (in != null && in.readNBytes(MOST_OF_AN_ANSWER).length == MOST_OF_AN_ANSWER) {
        connection.disconnect();
      }
    }
    return status;
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

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  /** Connections that are kept close by themselves, after five seconds. */
  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }

  /** For messages: never the headers, which may hold a secret. */
  @Override
  public String toString() {
    return "HttpExport{" + endpoint + "}";
  }
}
