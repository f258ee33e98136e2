package io.rollotel.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sends over OTLP/HTTP, in protobuf, on one connection. */
final class HttpSender extends OtlpSender {

  private static final long PATIENCE_SECONDS = 30;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI traces;

  HttpSender(int port) {
    traces = URI.create("http://127.0.0.1:" + port + "/v1/traces");
  }

  @Override
  void send(byte[] request) {
    HttpRequest post =
        HttpRequest.newBuilder(traces)
            .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
            .header("Content-Type", "application/x-protobuf")
            .POST(HttpRequest.BodyPublishers.ofByteArray(request))
            .build();
    try {
      int status = answer(post).statusCode();
      if (status != 200) {
        throw new IllegalStateException("not acknowledged: " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<Void> answer(HttpRequest post) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try {
        return client.send(post, HttpResponse.BodyHandlers.discarding());
      } catch (ConnectException e) {
        // There is no server yet where it is only just being started.
        if (System.nanoTime() > deadlineNanos) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  @Override
  public void close() {
    // its one connection ends with the process
  }
}
