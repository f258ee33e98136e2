package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests on connections that are kept. */
class HttpClientTest extends HttpClientFixture {

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
