package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a collector takes, and how it answers. */
class EmbeddedCollectorTest extends EmbeddedCollectorFixture {

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
  void chunkedRequest_isTaken() throws Exception {
    byte[] bytes = Requests.spans(1, 2);
    BodyPublisher ofUnknownLength =
        BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
    assertThat(send(to("/v1/traces").POST(ofUnknownLength)).statusCode()).isEqualTo(200);
    assertThat(read().spans()).isEqualTo(2);
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
}
