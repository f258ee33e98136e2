package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class HttpClientTest {

  private static final byte[] BODY = "spans".getBytes(ISO_8859_1);
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Answers the next request of a connection; true if another may follow. */
  private interface Script {
    boolean answer(Server server, Socket socket, String head, int request) throws Exception;
  }

  /** A server of bytes, whose answers are a script. */
  private static final class Server implements AutoCloseable {

    private final ServerSocket socket;
    private final Script script;
    final List<String> heads = new CopyOnWriteArrayList<>();
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    final AtomicInteger connections = new AtomicInteger();
    final ConcurrentLinkedQueue<Socket> open = new ConcurrentLinkedQueue<>();

    Server(String address, Script script) throws IOException {
      this.script = script;
      socket = new ServerSocket(0, 50, InetAddress.getByName(address));
      Thread thread = new Thread(this::accept, "test-server");
      thread.setDaemon(true);
      thread.start();
    }

    static Server of(Script script) throws IOException {
      return new Server("127.0.0.1", script);
    }

    /** Gives the same answer to every request. */
    static Server saying(String answer) throws IOException {
      return of(
          (server, socket, head, request) -> {
            server.readBody(socket, head);
            write(socket, answer);
            return true;
          });
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/v1/traces");
    }

    int port() {
      return socket.getLocalPort();
    }

    private void accept() {
      while (true) {
        try {
          Socket connection = socket.accept();
          connections.incrementAndGet();
          open.add(connection);
          Thread thread = new Thread(() -> serve(connection), "test-connection");
          thread.setDaemon(true);
          thread.start();
        } catch (IOException closed) {
          return;
        }
      }
    }

    private void serve(Socket connection) {
      try (connection) {
        for (int request = 0; ; request++) {
          String head = readHead(connection.getInputStream());
          if (head.isEmpty()) {
            return;
          }
          heads.add(head);
          if (!script.answer(this, connection, head, request)) {
            return;
          }
        }
      } catch (Exception clientHasGone) {
        // As tests want it.
      }
    }

    private static String readHead(InputStream in) throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) {
          return "";
        }
        head.write(next);
      }
      return head.toString(ISO_8859_1);
    }

    void readBody(Socket connection, String head) throws IOException {
      int length =
          head.lines()
              .filter(line -> line.startsWith("Content-Length: "))
              .mapToInt(line -> Integer.parseInt(line.substring(16)))
              .findFirst()
              .orElseThrow();
      bodies.add(new String(connection.getInputStream().readNBytes(length), ISO_8859_1));
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket connection : open) {
        connection.close();
      }
    }
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  private static HttpClient client(URI uri) {
    return HttpClient.to(uri, LONG_NANOS);
  }

  private static int post(HttpClient client) throws IOException {
    return post(client, BODY, LONG_NANOS);
  }

  private static int post(HttpClient client, byte[] body, long nanos) throws IOException {
    return client.post(Map.of(), body, System.nanoTime() + nanos).status();
  }

  @Test
  void request_isThatOfTheStandard() throws Exception {
    try (Server server = Server.saying(OK);
        HttpClient client =
            client(URI.create("http://who:secret@127.0.0.1:" + server.port() + "/a%20b?c=d"))) {
      assertThat(
              client
                  .post(
                      Map.of("Authorization", "Bearer x", "Host", "y", "content-length", "7"),
                      BODY,
                      System.nanoTime() + LONG_NANOS)
                  .status())
          .isEqualTo(200);
      assertThat(server.heads)
          .containsExactly(
              "POST /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:"
                  + server.port()
                  + "\r\nAuthorization: Bearer x\r\nContent-Length: 5\r\n\r\n");
      assertThat(server.bodies).containsExactly("spans");
    }
  }

  @Test
  void connection_isKept() throws Exception {
    try (Server server = Server.saying(OK);
        HttpClient client = client(server.uri())) {
      for (int i = 0; i < 5; i++) {
        assertThat(post(client)).isEqualTo(200);
      }
      assertThat(server.connections).hasValue(1);
      assertThat(server.bodies).hasSize(5).containsOnly("spans");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n"
            + "0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK,
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200\r\ncontent-length:3\r\n\r\nabc",
        "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n",
      })
  void answerWithAnEnd_leavesTheConnection(String answer) throws Exception {
    String whole = answer.contains("60000") ? answer + "x".repeat(60_000) : answer;
    try (Server server = Server.saying(whole);
        HttpClient client = client(server.uri())) {
      assertThat(post(client) / 100).isEqualTo(2);
      assertThat(post(client) / 100).isEqualTo(2);
      assertThat(server.connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: Close\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\n\r\nto the end of the connection",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 smuggled\r\n\r\n",
      })
  void answerThatDoesNotLeaveTheConnection_isGoodAndTheNextRequestHasAnother(String answer)
      throws Exception {
    try (Server server = Server.saying(answer);
        HttpClient client = client(server.uri())) {
      assertThat(post(client)).isEqualTo(200);
      assertThat(post(client)).isEqualTo(200);
      assertThat(server.connections).hasValue(2);
    }
  }

  @Test
  void bodyWithoutAnEnd_isNotReadToIt() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  self.readBody(socket, head);
                  write(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                  while (true) {
                    write(socket, "400\r\n" + "x".repeat(1024) + "\r\n");
                  }
                });
        HttpClient client = client(server.uri())) {
      assertThat(post(client)).isEqualTo(200);
      assertThat(post(client)).isEqualTo(200);
      assertThat(server.connections).hasValue(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 200 OK\r\n", ""})
  void headWithoutAnEnd_isAFailure(String start) throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  write(socket, start);
                  while (true) {
                    write(socket, start.isEmpty() ? "x" : "Header: value\r\n");
                  }
                });
        HttpClient client = client(server.uri())) {
      assertThatThrownBy(() -> post(client))
          .isExactlyInstanceOf(IOException.class)
          .hasMessageContaining("no end");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 20x OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "\r\n\r\n",
      })
  void answerOfAnotherProtocol_isAFailureAtOnce(String answer) throws Exception {
    try (Server server = Server.saying(answer);
        HttpClient client = client(server.uri())) {
      assertThatThrownBy(() -> post(client)).isExactlyInstanceOf(IOException.class);
      assertThat(server.connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Le"})
  void halfAHead_isAFailureOnANewConnection(String half) throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  self.readBody(socket, head);
                  write(socket, half);
                  return false;
                });
        HttpClient client = client(server.uri())) {
      assertThatThrownBy(() -> post(client)).isInstanceOf(IOException.class);
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void halfABody_isAnAnswer() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  self.readBody(socket, head);
                  write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                  return false;
                });
        HttpClient client = client(server.uri())) {
      assertThat(post(client)).isEqualTo(200);
      assertThat(post(client)).isEqualTo(200);
    }
  }

  @Test
  void keptConnectionThatWasClosed_isReplaced() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  self.readBody(socket, head);
                  write(socket, OK);
                  if (self.heads.size() == 1) {
                    socket.close();
                    ended.countDown();
                  }
                  return true;
                });
        HttpClient client = client(server.uri())) {
      assertThat(post(client)).isEqualTo(200);
      ended.await();
      assertThat(post(client)).isEqualTo(200);
      assertThat(server.bodies).hasSize(2);
      assertThat(server.connections).hasValue(2);
    }
  }

  @Test
  void keptConnectionThatIsClosedUnderTheNextRequest_hasItSentOnceMore() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  if (request == 1) {
                    return false; // the first on this connection was answered
                  }
                  self.readBody(socket, head);
                  write(socket, OK);
                  return true;
                });
        HttpClient client = client(server.uri())) {
      for (int i = 0; i < 6; i++) {
        assertThat(post(client)).isEqualTo(200);
      }
      assertThat(server.bodies).hasSize(6);
      assertThat(server.connections).hasValue(6);
    }
  }

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
  void refusalBeforeTheRequestIsRead_isTheAnswer() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  write(socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
                  socket.shutdownOutput();
                  socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                  return false;
                });
        HttpClient client = client(server.uri())) {
      assertThat(post(client, new byte[64 << 20], LONG_NANOS)).isEqualTo(413);
      assertThat(post(client, new byte[64 << 20], LONG_NANOS)).isEqualTo(413);
      assertThat(server.connections).hasValue(2);
    }
  }

  @Test
  void preliminaryAnswerBeforeTheRequestIsRead_isNotTheAnswer() throws Exception {
    try (Server server =
            Server.of(
                (self, socket, head, request) -> {
                  write(socket, "HTTP/1.1 100 Continue\r\n\r\n");
                  Thread.sleep(100);
                  self.readBody(socket, head);
                  write(socket, OK);
                  return true;
                });
        HttpClient client = client(server.uri())) {
      assertThat(post(client, new byte[32 << 20], LONG_NANOS)).isEqualTo(200);
      assertThat(server.bodies.take()).hasSize(32 << 20);
      assertThat(post(client)).isEqualTo(200);
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void bodyOfSeveralParts_arrivesAsItIs() throws Exception {
    byte[] body = new byte[1_000_003];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) (i * 31 + i / 251);
    }
    try (Server server = Server.saying(OK);
        HttpClient client = client(server.uri())) {
      for (int length : new int[] {0, 1, 16_384, 65_535, 65_536, 81_921, 131_072, body.length}) {
        byte[] part = Arrays.copyOf(body, length);
        assertThat(post(client, part, LONG_NANOS)).isEqualTo(200);
        assertThat(server.bodies.take()).isEqualTo(new String(part, ISO_8859_1));
      }
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void largeHead_arrivesAsItIs() throws Exception {
    String value = "x".repeat(40_000);
    try (Server server = Server.saying(OK);
        HttpClient client = client(server.uri())) {
      for (int i = 0; i < 2; i++) {
        assertThat(client.post(Map.of("A", value), BODY, System.nanoTime() + LONG_NANOS).status())
            .isEqualTo(200);
      }
      assertThat(server.heads).allMatch(head -> head.contains("\r\nA: " + value + "\r\n"));
      assertThat(server.bodies).containsExactly("spans", "spans");
    }
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

  @ParameterizedTest
  @CsvSource({"Authorization,a\\r\\nX: y", "Authorization,a\\nX: y", "A\\r\\nX,y", "A,\\0"})
  void headerThatWouldEndBeforeItsEnd_isRefusedWithoutSayingIt(String name, String value)
      throws Exception {
    try (Server server = Server.saying(OK);
        HttpClient client = client(server.uri())) {
      assertThatThrownBy(
              () ->
                  client.post(
                      Map.of(name.translateEscapes(), value.translateEscapes()),
                      BODY,
                      System.nanoTime() + LONG_NANOS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("control character")
          .hasMessageNotContaining("y");
      assertThat(server.connections).hasValue(0);
    }
  }

  @Test
  void literalOfIpv6_isInBracketsInTheHeader() throws Exception {
    Server server;
    try {
      server = new Server("::1", Server.saying(OK).script);
    } catch (SocketException noIpv6) {
      assumeThat(false).as("this host has no IPv6: " + noIpv6).isTrue();
      return;
    }
    try (server) {
      for (String host : List.of("[::1]", "[::1%25lo]", "localhost")) {
        try (HttpClient client = client(URI.create("http://" + host + ":" + server.port()))) {
          assertThat(post(client)).isEqualTo(200);
        }
      }
      assertThat(server.heads)
          .extracting(head -> head.lines().skip(1).findFirst().orElseThrow())
          .containsExactly(
              "Host: [::1]:" + server.port(),
              "Host: [::1]:" + server.port(),
              "Host: localhost:" + server.port());
      assertThat(server.heads).allMatch(head -> head.startsWith("POST / HTTP/1.1\r\n"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http:///v1/traces", "http://:4318", "http://a:65536", "http://a:x", "http:a"})
  void endpointWithoutHostOrPort_isRefused(String endpoint) {
    assertThatThrownBy(() -> client(URI.create(endpoint)).close())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hostThatNobodyKnows_isAFailureThatNamesIt() {
    HttpClient client = client(URI.create("http://no_such_host.invalid:4318"));
    assertThatThrownBy(() -> post(client))
        .isInstanceOf(UnknownHostException.class)
        .hasMessageContaining("no_such_host.invalid");
  }
}
