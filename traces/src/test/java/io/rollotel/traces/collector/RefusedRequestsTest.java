package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.recording.HostName;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that a collector does not take, and what it says of them. */
class RefusedRequestsTest extends EmbeddedCollectorFixture {

  @Test
  void malformedJson_isRefusedInJson() throws Exception {
    HttpResponse<byte[]> answer = postJson("traces", "{\"resourceSpans\":7}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(new String(answer.body(), UTF_8))
        .isEqualTo("{\"code\":3,\"message\":\"malformed request: resourceSpans is not an array\"}");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      textBlock =
          """
          GET,  /v1/traces,   application/x-protobuf, none,    Bearer 5ecret, 405, 12
          PUT,  /v1/traces,   application/x-protobuf, none,    Bearer 5ecret, 405, 12
          POST, /,            application/x-protobuf, none,    Bearer 5ecret, 404, 5
          POST, /v1/traces/x, application/x-protobuf, none,    Bearer 5ecret, 404, 5
          POST, /v1/profiles, application/x-protobuf, none,    Bearer 5ecret, 404, 5
          POST, /v1/traces,   application/x-protobuf, none,    none,          401, 16
          POST, /v1/traces,   application/x-protobuf, none,    Bearer 5ecre,  401, 16
          POST, /v1/traces,   application/x-protobuf, none,    Bearer 5ecretx,401, 16
          POST, /v1/traces,   application/x-protobuf, none,    Bearer,        401, 16
          POST, /v1/traces,   application/x-protobuf, none,    Basic 5ecret,  401, 16
          POST, /v1/traces,   text/plain,             none,    Bearer 5ecret, 415, 3
          POST, /v1/traces,   none,                   none,    Bearer 5ecret, 415, 3
          POST, /v1/traces,   application/x-protobuf, zstd,    Bearer 5ecret, 415, 3
          POST, /v1/traces,   application/x-protobuf, gzip,    Bearer 5ecret, 400, 3
          """)
  void requestOfAnotherKind_isRefused(
      String method,
      String path,
      String type,
      String encoding,
      String authorization,
      int status,
      int code)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(collector.endpoint().resolve(path));
    if (type != null) {
      request.header("Content-Type", type);
    }
    if (encoding != null) {
      request.header("Content-Encoding", encoding);
    }
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    BodyPublisher body = BodyPublishers.ofByteArray(Requests.spans(1, 1));
    HttpResponse<byte[]> answer = send(request.method(method, body));
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(rpcStatus(answer).code()).isEqualTo(code);
    assertThat(rpcStatus(answer).message()).isNotBlank();
    assertCounters(0, 0, 1);
    assertThat(log).hasSize(1).first().asString().contains(" " + status);
    assertThat(file).isEmptyFile();
    // The same connection goes on.
    assertThat(post(Requests.spans(1, 1)).statusCode()).isEqualTo(200);
  }

  @Test
  void malformedRequest_isRefusedWithItsReason() throws Exception {
    HttpResponse<byte[]> answer = post(new byte[] {10, 5});
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(rpcStatus(answer))
        .isEqualTo(
            new RpcStatus(3, "malformed request: length 5 where 0 bytes are left at byte 1"));
    post(new byte[] {10, 6});
    assertCounters(0, 0, 2);
    assertThat(log).hasSize(1);
  }

  @Test
  void tooLargeRequest_isRefused() throws Exception {
    assertThat(post(new byte[LIMIT_BYTES + 1]).statusCode()).isEqualTo(413);
    // Far more than the server reads before it closes would cause a reset.
    assertThat(post(new byte[5_000_000]).statusCode()).isEqualTo(413);
    HttpRequest.Builder bomb = to("/v1/traces").header("Content-Encoding", "gzip");
    byte[] small = PlantedFile.gzip(new byte[10_000_000]);
    assertThat(small).hasSizeLessThan(LIMIT_BYTES);
    assertThat(send(bomb.POST(BodyPublishers.ofByteArray(small))).statusCode()).isEqualTo(413);
    assertCounters(0, 0, 3);
  }

  @Test
  void cutOffGzip_isRefused() throws Exception {
    byte[] whole = PlantedFile.gzip(Requests.spans(1, 50));
    HttpRequest.Builder cut = to("/v1/traces").header("Content-Encoding", "gzip");
    BodyPublisher body = BodyPublishers.ofByteArray(whole, 0, whole.length / 2);
    assertThat(send(cut.POST(body)).statusCode()).isEqualTo(400);
    assertThat(file).isEmptyFile();
  }

  /** Without a token only the headers tell a web page's request from a sender's. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          POST /v1/traces  | evil.example           |                                        | 403
          POST /v1/traces  | evil.example:4318      |                                        | 403
          POST /v1/traces  | 127.0.0.1.evil.example |                                        | 403
          POST /v1/metrics | evil.example           |                                        | 403
          POST /v1/nothing | evil.example           |                                        | 403
          GET /status      | evil.example           |                                        | 403
          GET /nothing     | evil.example           |                                        | 403
          POST /v1/traces  | 127.0.0.1:4318         | Origin: http://evil.example            | 403
          POST /v1/traces  | 127.0.0.1:4318         | Origin: null                           | 403
          POST /v1/traces  | 127.0.0.1:4318         | Sec-Fetch-Site: cross-site             | 403
          POST /v1/traces  | 127.0.0.1:4318         | Sec-Fetch-Site: same-site              | 403
          GET /status      | 127.0.0.1:4318         | Sec-Fetch-Site: cross-site             | 403
          POST /v1/traces  | evil.example           | Origin: http://evil.example            | 403
          POST /v1/traces  | 127.0.0.1:4318         | Origin: http://127.0.0.1:4318          | 200
          POST /v1/traces  | 127.0.0.1:4318         |                                        | 200
          POST /v1/traces  | LOCALHOST              |                                        | 200
          POST /v1/traces  | [0:0:0:0:0:0:0:1]:4318 |                                        | 200
          POST /v1/traces  | THIS:4318              |                                        | 200
          GET /status      | localhost:4318         | Sec-Fetch-Site: none                   | 200
          """)
  void webPageWithoutToken_isRefusedOnEveryPath(String line, String host, String header, int status)
      throws Exception {
    try (EmbeddedCollector open = start("")) {
      String request =
          line
              + " HTTP/1.1\r\nHost: "
              + host.replace("THIS", HostName.get())
              + "\r\nConnection: close\r\nContent-Type: application/x-protobuf\r\n"
              + (header == null ? "" : header + "\r\n")
              + "Content-Length: 0\r\n\r\n";
      assertThat(exchange(open, request)).startsWith("HTTP/1.1 " + status + " ");
      assertThat(open.summary()).contains(status == 403 ? "1 forbidden" : " 0 requests refused");
    }
  }

  /** The answer comes while its sender still has most of the body. */
  @Test
  void halfARequestWithoutTheToken_isAnsweredBeforeItsBodyIsThere() throws Exception {
    try (Socket socket = connect()) {
      String head = goodHead(50_000).replace(TOKEN, "wrong");
      socket.getOutputStream().write((head + "abc").getBytes(UTF_8));
      assertThat(line(socket.getInputStream())).startsWith("HTTP/1.1 401 ");
    }
  }

  /** The server itself refuses some, which differs between versions of the JDK. */
  @ParameterizedTest
  @CsvSource({"abc", "-1", "+0", "0x0", "0 0", "\u0660"})
  void contentLengthOfAnotherKind_isRefused(String length) throws Exception {
    String request =
        goodHead(0).replace("Content-Length: 0", "Connection: close\r\nContent-Length: " + length);
    assertThat(exchange(collector, request)).startsWith("HTTP/1.1 400 ");
    String chunked =
        request.replace("Connection: close", "Connection: close\r\nTransfer-Encoding: chunked");
    assertThat(exchange(collector, chunked + "0\r\n\r\n")).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void thousandsOfEmptyGzipMembers_areRefused() throws Exception {
    byte[] empty = PlantedFile.gzip(new byte[0]);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    for (int i = 0; i < 2_000; i++) {
      members.write(empty);
    }
    HttpRequest.Builder request = to("/v1/traces").header("Content-Encoding", "gzip");
    HttpResponse<byte[]> answer =
        send(request.POST(BodyPublishers.ofByteArray(members.toByteArray())));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(rpcStatus(answer).message()).contains("empty members");
  }
}
