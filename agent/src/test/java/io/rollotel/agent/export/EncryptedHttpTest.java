package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers whose bodies do not end; without TLS, which makes no difference here. */
@Timeout(60)
class EncryptedHttpTest {

  private ServerSocket server;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void answerThatNeverComes_isATimeout() {
    assertThatThrownBy(() -> post(500)).isInstanceOf(SocketTimeoutException.class);
  }

  @Test
  void bodyThatNeverComes_isNotAwaitedBeyondTheDeadline() throws IOException {
    answer("Content-Length: 10", false);
    assertThat(post(4_000).status()).isEqualTo(200);
  }

  @Test
  void bodyWithoutAnEnd_isNotReadToItsEnd() throws IOException {
    answer("Connection: close", true);
    assertThat(post(30_000).status()).isEqualTo(200);
  }

  /** Parallel streams that block take all threads of the pool. */
  @Test
  void applicationBlocksTheCommonPool_answerArrives() throws IOException {
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      ForkJoinPool.commonPool()
          .execute(
              () -> {
                try {
                  end.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
    }
    try {
      answer("Content-Length: 0", false);
      long startNanos = System.nanoTime();
      assertThat(post(50_000).status()).isEqualTo(200);
      assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(40));
    } finally {
      end.countDown();
    }
  }

  @Test
  void interruptedSender_staysInterrupted() {
    answer("Content-Length: 10", false);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> post(30_000)).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  private io.rollotel.traces.collector.HttpClient.Answer post(long patienceMillis)
      throws IOException {
    URI url = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/v1/traces");
    return new EncryptedHttp(url, null, Duration.ofSeconds(10))
        .post(
            Map.of(),
            new byte[1],
            System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis));
  }

  /** Answers the next request with this header, and keeps the connection open. */
  private void answer(String header, boolean isEndless) {
    Thread thread =
        new Thread(
            () -> {
              try (Socket client = server.accept()) {
                OutputStream out = client.getOutputStream();
                out.write(
                    ("HTTP/1.1 200 OK\r\n" + header + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                while (isEndless) {
                  out.write(new byte[1024]);
                }
                client.getInputStream().transferTo(OutputStream.nullOutputStream());
              } catch (IOException closed) {
                // By the client, or at the end of the test.
              }
            },
            "server");
    thread.setDaemon(true);
    thread.start();
  }
}
