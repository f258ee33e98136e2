package io.rollotel.traces.cli;

import io.rollotel.traces.collector.AnswerBeginning;
import io.rollotel.traces.collector.GrpcClient;
import io.rollotel.traces.collector.HostPort;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.collector.PortProbe;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.RefusalText;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.report.PlainText;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to an endpoint by the protocol that its port speaks, and waits if the endpoint
 * asks for it.
 */
final class ReplaySender implements Closeable {

  /** The path for one signal, which others do not take. */
  private static final Pattern OF_SIGNAL = Pattern.compile("/v1/(traces|metrics|logs)$");

  private static final int ATTEMPTS = 5;

  /** Of gRPC. */
  private static final int DEADLINE_EXCEEDED = 4;

  private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PROBE = Duration.ofSeconds(5);

  /** There was an answer, and it says no. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private RefusedException(String answer) {
      super(answer);
    }
  }

  private final URI endpoint;
  private final Map<String, String> headers;
  private final Duration patience;
  private final ExecutorService threads = Executors.newCachedThreadPool(ReplaySender::daemon);
  private final @Nullable GrpcClient grpc;
  private final @Nullable HttpClient http;

  /**
   * Detects the port's protocol.
   *
   * @param tls trusted certificates and the own one; null for the JVM's defaults
   * @throws IllegalArgumentException for an endpoint without a host
   */
  ReplaySender(URI endpoint, Map<String, String> headers, @Nullable SSLContext tls) {
    this(endpoint, headers, tls, TIMEOUT);
  }

  ReplaySender(
      URI endpoint, Map<String, String> headers, @Nullable SSLContext tls, Duration patience) {
    this.endpoint = endpoint;
    this.headers = headers;
    this.patience = patience;
    OtlpProtocol expected = OtlpProtocol.expectedOf(endpoint);
    PortProbe port = new PortProbe(endpoint, tls, threads, PROBE.toNanos());
    boolean isGrpc = port.spoken(expected).orElse(expected) == OtlpProtocol.GRPC;
    grpc = isGrpc ? GrpcClient.open(endpoint, tls, CONNECT.toMillis(), threads) : null;
    http = isGrpc ? null : client(tls);
  }

  private static HttpClient client(@Nullable SSLContext tls) {
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
    if (tls != null) {
      builder.sslContext(tls);
    }
    return builder.build();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "roll-otel-replay");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Sends a request.
   *
   * @return the part of it that was rejected
   * @throws IOException if it is not accepted, with the answer
   */
  PartialSuccess send(Signal signal, byte[] body) throws IOException, InterruptedException {
    if (grpc != null) {
      return send(grpc, signal, body);
    }
    return http == null ? PartialSuccess.NONE : send(http, signal, body);
  }

  private PartialSuccess send(GrpcClient client, Signal signal, byte[] body)
      throws IOException, InterruptedException {
    Map<String, List<String>> metadata = new LinkedHashMap<>();
    headers.forEach((name, value) -> metadata.put(name.toLowerCase(Locale.ROOT), List.of(value)));
    for (int attempt = 1; ; attempt++) {
      long sentNanos = System.nanoTime();
      GrpcClient.Answer answer =
          client.exportAndWait(signal, body, metadata, false, patience.toNanos());
      if (answer.isOk()) {
        return answer.partial();
      }
      boolean isOurs = System.nanoTime() - sentNanos > patience.toNanos() / 10 * 9;
      if (answer.code() == DEADLINE_EXCEEDED && isOurs) {
        throw late(); // as by HTTP: another attempt would take as long
      }
      if (attempt == ATTEMPTS || answer.cause() != null || !answer.isPassing()) {
        if (answer.cause() != null) {
          throw unanswered(answer.cause());
        }
        // grpc-java lists Netty's handlers in further lines.
        String text = answer.text().lines().findFirst().orElse("");
        throw new RefusedException("answered " + PlainText.escaped(text));
      }
      TimeUnit.SECONDS.sleep(1L << attempt);
    }
  }

  private PartialSuccess send(HttpClient client, Signal signal, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target(signal))
            .timeout(patience)
            .header("Content-Type", "application/x-protobuf")
            .POST(BodyPublishers.ofByteArray(body));
    headers.forEach(request::setHeader);
    HttpResponse<byte[]> answer = answer(client, request.build());
    for (int attempt = 1; RETRYABLE.contains(answer.statusCode()); attempt++) {
      if (attempt == ATTEMPTS) {
        break;
      }
      TimeUnit.SECONDS.sleep(retryAfterSeconds(answer, attempt));
      answer = answer(client, request.build());
    }
    if (answer.statusCode() / 100 != 2) {
      throw new RefusedException(
          "answered " + answer.statusCode() + ": " + RefusalText.of(answer.body()));
    }
    return PartialSuccess.of(answer.body());
  }

  /** The client's own time-out ends with the head of an answer. */
  private HttpResponse<byte[]> answer(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    Future<HttpResponse<byte[]>> sent = client.sendAsync(request, new AnswerBeginning());
    try {
      return sent.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw late();
    } finally {
      sent.cancel(true);
    }
  }

  private IOException late() {
    return new HttpTimeoutException("no complete answer in " + patience.toSeconds() + " s");
  }

  /** What grpc-java has wrapped. */
  private static IOException unanswered(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof IOException failure ? failure : new IOException(root.toString(), root);
  }

  private URI target(Signal signal) throws IOException {
    String base = OF_SIGNAL.matcher(endpoint.toString()).replaceFirst("");
    String path = "/v1/" + signal.plural();
    return HostPort.forJdk(
        URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path));
  }

  private static long retryAfterSeconds(HttpResponse<?> answer, int attempt) {
    String wanted = answer.headers().firstValue("Retry-After").orElse("");
    return wanted.matches("\\d{1,2}") ? Long.parseLong(wanted) : 1L << attempt;
  }

  @Override
  public void close() {
    if (grpc != null) {
      grpc.close();
    }
    threads.shutdown();
  }
}
