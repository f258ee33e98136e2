package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedInputStream;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A collector with small limits, and a client that writes what it likes. */
@Timeout(600)
abstract class EmbeddedCollectorFixture {

  static final String TOKEN = "5ecret";
  static final int LIMIT_BYTES = 100_000;
  static final int LIMIT_CONNECTIONS = 64;
  static final long PATIENCE_MILLIS = 2000;

  final HttpClient client = HttpClient.newHttpClient();
  final List<String> log = new CopyOnWriteArrayList<>();

  @TempDir Path dir;
  Path file;
  EmbeddedCollector collector;

  @BeforeEach
  void start() throws IOException {
    file = dir.resolve("traces/traces.jsonl");
    collector = start(TOKEN);
  }

  EmbeddedCollector start(String token) throws IOException {
    return start(InetAddress.getLoopbackAddress(), 0, dir, token);
  }

  EmbeddedCollector start(InetAddress host, int port, Path outputDir, String token)
      throws IOException {
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            host,
            port,
            CollectorSettings.NONE,
            null,
            new CollectorSettings.Limits(
                LIMIT_BYTES, 10_000_000, LIMIT_CONNECTIONS, 8, PATIENCE_MILLIS),
            FileRules.DEFAULT,
            new CollectorSettings.Page(true, null));
    return EmbeddedCollector.start(outputDir.toFile(), token, settings, log::add);
  }

  @AfterEach
  void close() {
    collector.close();
  }

  HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(collector.endpoint().resolve(path))
        .header("Content-Type", "application/x-protobuf")
        .header("Authorization", "Bearer " + TOKEN);
  }

  HttpResponse<byte[]> post(byte[] body) throws Exception {
    return send(to("/v1/traces").POST(BodyPublishers.ofByteArray(body)));
  }

  HttpResponse<byte[]> postJson(String signal, String json) throws Exception {
    return send(
        to("/v1/" + signal)
            .setHeader("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), collector.endpoint().getPort());
  }

  static String goodHead(int length, String... more) {
    return "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
        + "Authorization: Bearer "
        + TOKEN
        + "\r\nContent-Length: "
        + length
        + "\r\n"
        + String.join("", more)
        + "\r\n";
  }

  static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      line.write(next);
    }
    return line.toString(UTF_8).strip();
  }

  ReadSummary read() throws IOException {
    List<Span> spans = new ArrayList<>();
    return new TracesReader().read(file, spans::add);
  }

  void assertCounters(long accepted, long written, long refused) {
    assertThat(List.of(collector.accepted(), collector.written(), collector.refused()))
        .as("requests accepted, spans written, requests refused")
        .containsExactly(accepted, written, refused);
  }

  record RpcStatus(int code, String message) {}

  static RpcStatus rpcStatus(HttpResponse<byte[]> answer) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(answer.body());
    assertThat(in.readTag()).isEqualTo(1 << 3);
    int code = in.readInt32();
    assertThat(in.readTag()).isEqualTo(2 << 3 | 2);
    String message = in.readString();
    // With a RetryInfo exactly if the sender should try again.
    assertThat(in.isAtEnd()).isEqualTo(answer.headers().firstValue("Retry-After").isEmpty());
    return new RpcStatus(code, message);
  }

  /** All that comes back until the other side closes. */
  static String exchange(EmbeddedCollector with, String request) throws IOException {
    try (Socket socket = new Socket(with.endpoint().getHost(), with.endpoint().getPort())) {
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
