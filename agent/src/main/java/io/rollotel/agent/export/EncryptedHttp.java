package io.rollotel.agent.export;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.traces.collector.AnswerBeginning;
import io.rollotel.traces.collector.HttpClient.Answer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Requests over HTTP/1.1 and TLS by the JDK's client. The client fixes settings of the host
 * process; that is the cost of not implementing TLS ourselves.
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
  Answer post(Map<String, String> headers, byte[] body, long deadlineNanos) throws IOException {
    Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(url).timeout(left).POST(BodyPublishers.ofByteArray(body));
    headers.forEach(builder::setHeader);
    HttpRequest request = builder.build();
    AnswerBeginning answer = new AnswerBeginning();
    // Not sendAsync, which completes in the application's common pool.
    Future<HttpResponse<byte[]>> sent =
        AgentThreads.passing().submit(() -> client.send(request, answer));
    try {
      sent.get(left.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The JDK's own time-out ends with the head of an answer, and with that an answer is valid.
      if (answer.status() == 0) {
        throw late(e);
      }
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof HttpTimeoutException
          ? late(e)
          : cause instanceof IOException failure ? failure : new IOException(cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      sent.cancel(true);
    }
    return Answer.of(answer.status(), answer.bytes());
  }

  private static SocketTimeoutException late(Exception cause) {
    SocketTimeoutException late = new SocketTimeoutException("no answer in time");
    late.initCause(cause);
    return late;
  }
}
