package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Servers that do not answer in time, and clients that stop waiting. */
class HttpClientDeadlinesTest extends HttpClientFixture {

  @Test
  void nobodyListens_isRefused() throws Exception {
    try (Socket holdsThePort = new Socket()) {
      holdsThePort.bind(new InetSocketAddress("127.0.0.1", 0));
      for (String host : List.of("127.0.0.1", "localhost")) {
        URI uri = URI.create("http://" + host + ":" + holdsThePort.getLocalPort());
        try (HttpClient client = client(uri)) {
          assertThatThrownBy(() -> post(client)).isInstanceOf(ConnectException.class);
        }
      }
    }
  }

  @Test
  void serverThatIsSilent_isGivenUpAtTheDeadline() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                  return false;
                });
        HttpClient client = client(server.uri())) {
      assertIsLate(() -> post(client, BODY, SHORT_NANOS));
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void serverThatDribbles_isGivenUpAtTheDeadline() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  write(socket, "HTTP/1.1 200 OK\r\n");
                  while (true) {
                    write(socket, "a");
                    Thread.sleep(10);
                  }
                });
        HttpClient client = client(server.uri())) {
      assertIsLate(() -> post(client, BODY, SHORT_NANOS));
    }
  }

  @Test
  void serverThatReadsNothing_isGivenUpAtTheDeadline() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  end.await();
                  return false;
                });
        HttpClient client = client(server.uri())) {
      assertIsLate(() -> post(client, new byte[64 << 20], SHORT_NANOS));
      end.countDown();
    }
  }

  /** A full backlog answers no further connection. */
  @Test
  void hostThatDoesNotAnswer_isGivenUpAfterThePatienceForConnections() throws Exception {
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        Socket first = new Socket("127.0.0.1", full.getLocalPort());
        Socket second = new Socket("127.0.0.1", full.getLocalPort());
        HttpClient client =
            HttpClient.to(URI.create("http://127.0.0.1:" + full.getLocalPort()), SHORT_NANOS)) {
      assertThat(List.of(first, second)).allMatch(Socket::isConnected);
      assertIsLate(() -> post(client));
    }
  }

  private static void assertIsLate(ThrowingCallable post) {
    long startNanos = System.nanoTime();
    assertThatThrownBy(post).isInstanceOf(SocketTimeoutException.class);
    assertThat(System.nanoTime() - startNanos).isBetween(SHORT_NANOS, LONG_NANOS / 2);
  }

  @Test
  void interrupt_endsNothingAndStaysSet() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  self.readBody(socket, head);
                  Thread.sleep(100);
                  write(socket, OK);
                  return true;
                });
        HttpClient client = client(server.uri())) {
      Thread.currentThread().interrupt();
      assertThat(post(client)).isEqualTo(200);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(post(client)).isEqualTo(200);
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void close_endsARequestThatIsUnderWay() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  asked.countDown();
                  Thread.sleep(Long.MAX_VALUE);
                  return false;
                });
        HttpClient client = client(server.uri())) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      Thread sender =
          new Thread(
              () -> {
                try {
                  post(client);
                  failure.complete(new AssertionError("answered"));
                } catch (IOException e) {
                  failure.complete(e);
                }
              });
      sender.start();
      asked.await();
      client.close();
      assertThat(failure.get()).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> post(client)).isInstanceOf(IOException.class);
      assertThat(server.connections).hasValue(1);
    }
  }
}
