package io.rollotel.agent.export;

import io.rollotel.agent.background.AgentThreads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Requests over HTTP/1.1 and TLS, by the JDK's client: it freezes settings of the host's, which is
 * the price of TLS that we have not written ourselves.
 */
final class EncryptedHttp {

  private final URI url;
  private final HttpClient client;

  EncryptedHttp(URI url, @Nullable SSLContext tls, Duration connect) {
    this.url = url;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(AgentThreads.passing())
            .connectTimeout(connect);
    client = tls == null ? builder.build() : builder.sslContext(tls).build();
  }

  /** As {@link io.rollotel.traces.collector.HttpClient#post}. */
  int post(Map<String, String> headers, byte[] body, long deadlineNanos) throws IOException {
    Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url).timeout(left).POST(BodyPublishers.ofByteArray(body));
    headers.forEach(request::setHeader);
    try {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    } catch (HttpTimeoutException e) {
      SocketTimeoutException late = new SocketTimeoutException("no answer in time");
      late.initCause(e);
      throw late;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }
}
