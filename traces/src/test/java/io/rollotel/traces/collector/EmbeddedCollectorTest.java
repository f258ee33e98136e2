package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.protobuf.CodedInputStream;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.HostName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(600)
class EmbeddedCollectorTest {

  private static final String TOKEN = "5ecret";
  private static final int LIMIT_BYTES = 100_000;
  private static final int LIMIT_CONNECTIONS = 64;
  private static final long PATIENCE_MILLIS = 2000;

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> log = new CopyOnWriteArrayList<>();

  @TempDir Path dir;
  private Path file;
  private EmbeddedCollector collector;

  @BeforeEach
  void start() throws IOException {
    file = dir.resolve("traces/traces.jsonl");
    collector = start(TOKEN);
  }

  @AfterEach
  void close() {
    collector.close();
  }

  @Test
  void goodRequest_isInTheFileWhenItIsAcknowledged() throws Exception {
    HttpResponse<byte[]> answer = post(Requests.spans(1, 3));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-protobuf");
    assertThat(ExportTraceServiceResponse.parseFrom(answer.body()))
        .isEqualTo(ExportTraceServiceResponse.getDefaultInstance());
    assertThat(read().spans()).isEqualTo(3);
    assertCounters(1, 3, 0);
    assertThat(log).isEmpty();
  }

  @Test
  void requestWithoutSpans_isAcknowledged() throws Exception {
    assertThat(post(new byte[0]).statusCode()).isEqualTo(200);
    assertThat(file).isEmptyFile();
    assertCounters(1, 0, 0);
  }

  @Test
  void compressedRequest_isTaken() throws Exception {
    HttpRequest.Builder request = to("/v1/traces").header("Content-Encoding", "gzip");
    assertThat(
            send(request.POST(BodyPublishers.ofByteArray(PlantedFile.gzip(Requests.spans(1, 2)))))
                .statusCode())
        .isEqualTo(200);
    assertThat(read().spans()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          traces  | {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","kind":"SPAN_KIND_SERVER","startTimeUnixNano":"5","future":[{}],"status":{"code":"STATUS_CODE_ERROR"}}]}]}]}           | {"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","kind":2,"startTimeUnixNano":"5","status":{"code":2}}]}]}]}
          metrics | {"resource_metrics":[{"scope_metrics":[{"metrics":[{"name":"m","sum":{"dataPoints":[{"asInt":"0","timeUnixNano":7}],"isMonotonic":true,"aggregationTemporality":"AGGREGATION_TEMPORALITY_CUMULATIVE"}}]}]}]}           | {"resourceMetrics":[{"resource":{},"scopeMetrics":[{"scope":{},"metrics":[{"name":"m","sum":{"dataPoints":[{"timeUnixNano":"7","asInt":"0"}],"aggregationTemporality":2,"isMonotonic":true}}]}]}]}
          logs    | {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":"SEVERITY_NUMBER_INFO","body":{"stringValue":"x"},"traceId":""}]}]}]}           | {"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"severityNumber":9,"body":{"stringValue":"x"}}]}]}]}
          """)
  void jsonOfEachSignal_isWrittenInOtelcolsForm(String signal, String json, String line)
      throws Exception {
    HttpResponse<byte[]> answer = postJson(signal, json);
    assertThat(new String(answer.body(), UTF_8)).isEqualTo("{\"partialSuccess\":{}}");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(dir.resolve(signal).resolve(signal + ".jsonl")).hasContent(line + "\n");
  }

  @Test
  void malformedJson_isRefusedInJson() throws Exception {
    HttpResponse<byte[]> answer = postJson("traces", "{\"resourceSpans\":7}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(new String(answer.body(), UTF_8))
        .isEqualTo("{\"code\":3,\"message\":\"malformed request: resourceSpans is not an array\"}");
  }

  @Test
  void status_tellsWhatWasDone() throws Exception {
    post(Requests.spans(1, 3));
    post(new byte[] {10, 5});
    HttpResponse<byte[]> answer = send(to("/status").GET());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(new String(answer.body(), UTF_8))
        .isEqualTo("1 requests accepted, 3 spans written, 1 requests refused: 1 malformed\n");
    assertCounters(1, 3, 1);
  }

  /** As {@code doctor} asks, which has no token. */
  @Test
  void probeOfThePort_isAnsweredAndNotCounted() throws Exception {
    String answer =
        exchange(collector, "OPTIONS * HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 204 ");
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      PortProbe probe =
          new PortProbe(collector.endpoint(), null, threads, TimeUnit.MINUTES.toNanos(1));
      assertThat(probe.spoken(OtlpProtocol.HTTP)).contains(OtlpProtocol.HTTP);
    } finally {
      threads.shutdownNow();
    }
    assertCounters(0, 0, 0);
    assertThat(collector.summary()).doesNotContain("not found");
  }

  @Test
  void statusWithoutTheToken_isRefused() throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(collector.endpoint().resolve("/status"));
    assertThat(send(request.GET()).statusCode()).isEqualTo(401);
  }

  @Test
  void connectionsThatWaitBeyondTheLimit_areClosedAndCounted() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      // Beside those that are served and those that wait.
      for (int i = 0; i < 2 * LIMIT_CONNECTIONS + 20; i++) {
        Socket socket = connect();
        open.add(socket);
        socket.getOutputStream().write("POST /v1/tra".getBytes(UTF_8));
      }
      while (collector.refused() == 0) {
        Thread.sleep(1);
      }
      assertThat(collector.summary()).contains(" connection");
      assertThat(log).anyMatch(line -> line.contains("connections at once"));
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void hundredsOfSlowConnections_holdUpNobody() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        Socket socket = connect();
        slow.add(socket);
        socket.getOutputStream().write("POST /v1/tra".getBytes(UTF_8));
      }
      // Connections beyond the limit wait until others time out, or are closed.
      HttpRequest request =
          to("/v1/traces")
              .timeout(Duration.ofMinutes(4))
              .POST(BodyPublishers.ofByteArray(Requests.spans(1, 1)))
              .build();
      int status = 0;
      while (status == 0) {
        try {
          status = client.send(request, BodyHandlers.discarding()).statusCode();
        } catch (IOException closed) {
          // again, as senders do
        }
      }
      assertThat(status).isEqualTo(200);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void chunkedRequest_isTaken() throws Exception {
    byte[] bytes = Requests.spans(1, 2);
    BodyPublisher ofUnknownLength =
        BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
    assertThat(send(to("/v1/traces").POST(ofUnknownLength)).statusCode()).isEqualTo(200);
    assertThat(read().spans()).isEqualTo(2);
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

  @ParameterizedTest
  @CsvSource({
    "application/x-protobuf; charset=utf-8, bearer 5ecret",
    "Application/X-Protobuf, BEARER  5ecret"
  })
  void otherSpellingsOfHeaders_areTaken(String type, String authorization) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(collector.endpoint().resolve("/v1/traces"))
            .header("Content-Type", type)
            .header("Content-Encoding", "identity")
            .header("Authorization", authorization)
            .POST(BodyPublishers.ofByteArray(Requests.spans(1, 1)));
    assertThat(send(request).statusCode()).isEqualTo(200);
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

  @Test
  void unwritableFile_isAnsweredWithRetryLaterUntilItIsWritableAgain() throws Exception {
    assumeThat(Path.of("/dev/full")).exists();
    collector.close();
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    collector = start(TOKEN);
    for (int i = 0; i < 3; i++) {
      HttpResponse<byte[]> answer = post(Requests.spans(1, 2));
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(rpcStatus(answer).code()).isEqualTo(14);
    }
    assertThat(log).hasSize(1).first().asString().contains("cannot be written");
    Files.delete(file);
    assertThat(post(Requests.spans(1, 2)).statusCode()).isEqualTo(200);
    assertThat(log).hasSize(2).last().asString().contains("3 requests were refused meanwhile");
    assertThat(read().spans()).isEqualTo(2);
    assertCounters(1, 2, 3);
  }

  @Test
  void withoutToken_everybodyIsLetIn() throws Exception {
    try (EmbeddedCollector open = start("")) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(open.endpoint().resolve("/v1/traces"))
              .header("Content-Type", "application/x-protobuf")
              .POST(BodyPublishers.ofByteArray(Requests.spans(1, 1)));
      assertThat(send(request).statusCode()).isEqualTo(200);
    }
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

  @Test
  void severalGzipMembers_areOneRequest() throws Exception {
    byte[] bytes = Requests.spans(1, 2);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    for (byte one : bytes) {
      members.write(PlantedFile.gzip(new byte[] {one}));
      members.write(PlantedFile.gzip(new byte[0]));
    }
    HttpRequest.Builder request = to("/v1/traces").header("Content-Encoding", "gzip");
    assertThat(send(request.POST(BodyPublishers.ofByteArray(members.toByteArray()))).statusCode())
        .isEqualTo(200);
    assertThat(read().spans()).isEqualTo(2);
  }

  /** All that comes back until the other side closes. */
  private static String exchange(EmbeddedCollector with, String request) throws IOException {
    try (Socket socket = new Socket(with.endpoint().getHost(), with.endpoint().getPort())) {
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void concurrentRequests_areInTheFileExactlyOnce() throws Exception {
    int requests = 400;
    // With more connections than are allowed, one may be closed that the client is about to use.
    Semaphore atOnce = new Semaphore(100);
    List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      HttpRequest.Builder request = to("/v1/traces");
      request.POST(BodyPublishers.ofByteArray(Requests.spans(1 + i * 20L, 20)));
      atOnce.acquire();
      answers.add(
          client
              .sendAsync(request.build(), BodyHandlers.ofByteArray())
              .whenComplete((answer, failure) -> atOnce.release()));
    }
    for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
      assertThat(answer.join().statusCode()).isEqualTo(200);
    }
    assertCounters(requests, requests * 20L, 0);
    collector.close();
    Set<String> ids = new HashSet<>();
    ReadSummary summary = new TracesReader().read(file, span -> ids.add(span.spanId()));
    assertThat(ids).hasSize(requests * 20);
    assertThat(summary.duplicates() + summary.tornLines() + summary.unreadableLines()).isZero();
  }

  @Test
  void clientThatDisappears_harmsNobody() throws Exception {
    for (String cut : List.of("POST /v1/traces HTTP/1.1\r\nHo", goodHead(1000) + "abc", "\u0000")) {
      try (Socket socket = connect()) {
        socket.getOutputStream().write(cut.getBytes(UTF_8));
      }
    }
    assertThat(post(Requests.spans(1, 1)).statusCode()).isEqualTo(200);
    assertThat(read().spans()).isEqualTo(1);
  }

  @Test
  void clientsThatStopInMidRequest_holdUpTheOthersForAWhileOnly() throws Exception {
    List<Socket> stalled = new ArrayList<>();
    try {
      for (String part : List.of("POST /v1/tra", goodHead(1000), goodHead(1000) + "abc")) {
        Socket socket = connect();
        stalled.add(socket);
        socket.getOutputStream().write(part.getBytes(UTF_8));
      }
      HttpRequest request =
          to("/v1/traces")
              .timeout(Duration.ofSeconds(10))
              .POST(BodyPublishers.ofByteArray(Requests.spans(1, 1)))
              .build();
      int status = 0;
      while (status == 0) {
        try {
          status = client.send(request, BodyHandlers.discarding()).statusCode();
        } catch (HttpTimeoutException e) {
          // again, as senders do
        }
      }
      assertThat(status).isEqualTo(200);
    } finally {
      for (Socket socket : stalled) {
        socket.close();
      }
    }
  }

  @Test
  void close_finishesTheRequestInFlight() throws Exception {
    byte[] body = Requests.spans(1, 2);
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      // The server says when it has begun to read.
      out.write(goodHead(body.length, "Expect: 100-continue\r\n").getBytes(UTF_8));
      InputStream in = socket.getInputStream();
      assertThat(line(in)).startsWith("HTTP/1.1 100");
      while (!line(in).isEmpty()) {
        // the rest of its head
      }
      out.write(body, 0, 5);
      // Longer than a busy machine takes to let this thread go on.
      Thread closing = new Thread(() -> collector.close(600_000));
      closing.start();
      while (closing.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      out.write(body, 5, body.length - 5);
      assertThat(line(in)).startsWith("HTTP/1.1 200");
      closing.join();
    }
    assertThat(read().spans()).isEqualTo(2);
  }

  @Test
  void closedCollector_isGoneAtOnceAndClosesTwice() throws Exception {
    post(Requests.spans(1, 1));
    // A wait without a reason would take longer than this test may.
    collector.close(3_600_000);
    collector.close(3_600_000);
    assertThatThrownBy(() -> post(Requests.spans(1, 1))).isInstanceOf(IOException.class);
  }

  @Test
  void allThreads_areDaemons() throws Exception {
    // Enough at once that each of the threads is there.
    IntStream.range(0, 8)
        .mapToObj(
            i ->
                client.sendAsync(
                    to("/v1/traces")
                        .POST(BodyPublishers.ofByteArray(Requests.spans(1 + i, 1)))
                        .build(),
                    BodyHandlers.discarding()))
        .toList()
        .forEach(CompletableFuture::join);
    List<Thread> threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("roll-otel-collector-"))
            .toList();
    assertThat(threads).allMatch(Thread::isDaemon);
    assertThat(threads)
        .extracting(Thread::getName)
        .containsExactlyInAnyOrder("roll-otel-collector-1", "roll-otel-collector-2");
  }

  @Test
  void takenPort_isAnIoExceptionThatNamesIt() {
    int port = collector.endpoint().getPort();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    assertThatThrownBy(() -> start(loopback, port, dir, ""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(":" + port);
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, 127.0.0.1", "0.0.0.0, 127.0.0.1", "::1, [0:0:0:0:0:0:0:1]"})
  void endpoint_canBeConnectedTo(String bind, String host) throws Exception {
    InetAddress address = InetAddress.getByName(bind);
    EmbeddedCollector other;
    try {
      other = start(address, 0, dir.resolve("o"), "");
    } catch (IOException e) {
      assumeThat(bind).as("no IPv6 here").doesNotContain(":");
      throw e;
    }
    try (other) {
      assertThat(other.endpoint())
          .isEqualTo(URI.create("http://" + host + ":" + other.endpoint().getPort()));
      new Socket(InetAddress.getByName(other.endpoint().getHost()), other.endpoint().getPort())
          .close();
    }
  }

  private EmbeddedCollector start(String token) throws IOException {
    return start(InetAddress.getLoopbackAddress(), 0, dir, token);
  }

  private EmbeddedCollector start(InetAddress host, int port, Path outputDir, String token)
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

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(collector.endpoint().resolve(path))
        .header("Content-Type", "application/x-protobuf")
        .header("Authorization", "Bearer " + TOKEN);
  }

  private HttpResponse<byte[]> post(byte[] body) throws Exception {
    return send(to("/v1/traces").POST(BodyPublishers.ofByteArray(body)));
  }

  private HttpResponse<byte[]> postJson(String signal, String json) throws Exception {
    return send(
        to("/v1/" + signal)
            .setHeader("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), collector.endpoint().getPort());
  }

  private static String goodHead(int length, String... more) {
    return "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
        + "Authorization: Bearer "
        + TOKEN
        + "\r\nContent-Length: "
        + length
        + "\r\n"
        + String.join("", more)
        + "\r\n";
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      line.write(next);
    }
    return line.toString(UTF_8).strip();
  }

  private ReadSummary read() throws IOException {
    List<Span> spans = new ArrayList<>();
    return new TracesReader().read(file, spans::add);
  }

  private void assertCounters(long accepted, long written, long refused) {
    assertThat(List.of(collector.accepted(), collector.written(), collector.refused()))
        .as("requests accepted, spans written, requests refused")
        .containsExactly(accepted, written, refused);
  }

  private record RpcStatus(int code, String message) {}

  private static RpcStatus rpcStatus(HttpResponse<byte[]> answer) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(answer.body());
    assertThat(in.readTag()).isEqualTo(1 << 3);
    int code = in.readInt32();
    assertThat(in.readTag()).isEqualTo(2 << 3 | 2);
    String message = in.readString();
    // With a RetryInfo exactly if the sender should try again.
    assertThat(in.isAtEnd()).isEqualTo(answer.headers().firstValue("Retry-After").isEmpty());
    return new RpcStatus(code, message);
  }
}
