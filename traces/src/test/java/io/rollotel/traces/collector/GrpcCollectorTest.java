package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.Requests;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a collector answers to requests of gRPC. */
class GrpcCollectorTest extends GrpcCollectorFixture {

  @ParameterizedTest
  @ValueSource(strings = {"identity", "gzip"})
  void goodRequest_isInTheFileWhenItIsAcknowledged(String compression) throws Exception {
    Answer answer = export(TRACES, Requests.spans(1, 3), compression, TOKEN);
    assertThat(answer.status().isOk()).as(answer.toString()).isTrue();
    assertThat(answer.message()).isEmpty();
    assertThat(new TracesReader().read(file, span -> {}).spans()).isEqualTo(3);
    assertThat(collector.summary())
        .isEqualTo("1 requests accepted, 3 spans written, 0 requests refused");
    assertThat(log).isEmpty();
  }

  @Test
  void metricsAndLogs_haveFilesOfTheirOwn() throws Exception {
    ExportMetricsServiceRequest.Builder metrics = ExportMetricsServiceRequest.newBuilder();
    metrics
        .addResourceMetricsBuilder()
        .addScopeMetricsBuilder()
        .addMetricsBuilder()
        .getHistogramBuilder()
        .addDataPointsBuilder()
        .setCount(3)
        .setSum(0)
        .addBucketCounts(1)
        .addBucketCounts(2)
        .addExplicitBounds(0.5);
    ExportLogsServiceRequest.Builder logs = ExportLogsServiceRequest.newBuilder();
    logs.addResourceLogsBuilder()
        .addScopeLogsBuilder()
        .addLogRecordsBuilder()
        .getBodyBuilder()
        .setStringValue("x");
    String services = "opentelemetry.proto.collector.";
    assertThat(
            List.of(
                export(
                        services + "metrics.v1.MetricsService/Export",
                        metrics.build().toByteArray(),
                        "identity",
                        TOKEN)
                    .status(),
                export(
                        services + "logs.v1.LogsService/Export",
                        logs.build().toByteArray(),
                        "gzip",
                        TOKEN)
                    .status()))
        .allMatch(Status::isOk);
    assertThat(dir.resolve("metrics/metrics.jsonl"))
        .hasContent(
            """
            {"resourceMetrics":[{"resource":{},"scopeMetrics":[{"scope":{},"metrics":[\
            {"histogram":{"dataPoints":[{"count":"3","sum":0,"bucketCounts":["1","2"],\
            "explicitBounds":[0.5]}]}}]}]}]}
            """);
    assertThat(dir.resolve("logs/logs.jsonl"))
        .hasContent(
            """
            {"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[\
            {"body":{"stringValue":"x"}}]}]}]}
            """);
    assertThat(collector.summary())
        .isEqualTo(
            "2 requests accepted, 0 spans, 1 data points, 1 log records written,"
                + " 0 requests refused");
  }

  @ParameterizedTest
  @CsvSource({
    "Export,  good,      identity, 5ecret, OK,                 ''",
    "Import,  good,      identity, 5ecret, UNIMPLEMENTED,      1 not found",
    "Export,  good,      identity, guess,  UNAUTHENTICATED,    1 unauthenticated",
    "Export,  good,      identity, '',     UNAUTHENTICATED,    1 unauthenticated",
    "Export,  malformed, identity, 5ecret, INVALID_ARGUMENT,   1 malformed",
    "Export,  malformed, gzip,     5ecret, INVALID_ARGUMENT,   1 malformed",
    "Export,  large,     identity, 5ecret, RESOURCE_EXHAUSTED, 1 too large",
    "Export,  large,     gzip,     5ecret, RESOURCE_EXHAUSTED, 1 too large",
  })
  void request_isAnsweredAsTheSpecificationAsks(
      String method, String body, String compression, String token, String code, String counted)
      throws Exception {
    byte[] bytes =
        switch (body) {
          case "good" -> Requests.spans(1, 1);
          case "malformed" -> new byte[] {10, 5};
          default -> new byte[5_000_000];
        };
    Answer answer = export(TRACES.replace("Export", method), bytes, compression, token);
    assertThat(answer.status().getCode()).as(answer.toString()).hasToString(code);
    assertThat(answer.retryDelaySeconds()).as("sent again, it would fail again").isZero();
    assertThat(collector.summary()).endsWith(counted);
    assertThat(export(TRACES, Requests.spans(2, 1), "identity", TOKEN).status().isOk()).isTrue();
  }

  @Test
  void unwritableFile_isAnsweredWithRetryLater() throws Exception {
    assumeThat(Path.of("/dev/full")).exists();
    collector.close();
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    start();
    Answer answer = export(TRACES, Requests.spans(1, 1), "identity", TOKEN);
    assertThat(answer.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(answer.retryDelaySeconds()).isEqualTo(1);
    Files.delete(file);
    assertThat(export(TRACES, Requests.spans(1, 1), "identity", TOKEN).status().isOk()).isTrue();
  }

  @Tag("campaign")
  @Test
  void requestThatDoesNotArrive_isGivenUp() throws Exception {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call = unfinishedCall();
    call.start(new Listener(answer), headers(TOKEN));
    call.request(1);
    assertThat(answer.get().status().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(collector.summary()).endsWith("1 stalled");
  }

  @Test
  void twoHundredConnections_areServedAndOneMoreIsRefused() throws Exception {
    List<ManagedChannel> many =
        IntStream.range(0, LIMIT_CONNECTIONS).mapToObj(i -> channel()).toList();
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < many.size(); i++) {
      answers.add(export(many.get(i), TRACES, Requests.spans(1 + i, 1), "identity", TOKEN));
    }
    for (CompletableFuture<Answer> answer : answers) {
      assertThat(answer.get().status().isOk()).as(answer.toString()).isTrue();
    }
    assertThat(collector.written()).isEqualTo(LIMIT_CONNECTIONS);
    Answer refused = export(TRACES, Requests.spans(1, 1), "identity", TOKEN);
    assertThat(refused.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(collector.summary()).endsWith("connection");
    many.get(0).shutdownNow().awaitTermination(10, TimeUnit.MINUTES);
    while (!export(TRACES, Requests.spans(1, 1), "identity", TOKEN).status().isOk()) {
      // until the server has seen the end of that one
    }
  }

  @Tag("campaign")
  @Test
  void moreBytesInFlightThanTheBudget_areRefusedWithRetryLater() throws Exception {
    // Each request is good, none is ever complete.
    byte[] large = Requests.spans(1, 1500);
    assertThat(large.length).isBetween(LIMIT_BYTES / 2, LIMIT_BYTES);
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      CompletableFuture<Answer> answer = new CompletableFuture<>();
      ClientCall<byte[], byte[]> call = unfinishedCall();
      call.start(new Listener(answer), headers(TOKEN));
      call.request(1);
      call.sendMessage(large);
      answers.add(answer);
    }
    Answer first =
        (Answer) CompletableFuture.anyOf(answers.toArray(CompletableFuture[]::new)).get();
    assertThat(first.status().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(first.retryDelaySeconds()).isEqualTo(1);
    for (CompletableFuture<Answer> answer : answers) {
      answer.get(); // refused at once or when its time is over
    }
    assertThat(export(TRACES, Requests.spans(1, 1), "identity", TOKEN).status().isOk()).isTrue();
  }

  @Test
  void callsThatAreCancelledWhileTheyWait_leaveNothingBehind() throws Exception {
    byte[] large = Requests.spans(1, 1500);
    List<ClientCall<byte[], byte[]>> holders = new ArrayList<>();
    for (int i = 0; i < 2; i++) { // half of the budget and more, none of it complete
      ClientCall<byte[], byte[]> call = unfinishedCall();
      call.start(new Listener(new CompletableFuture<>()), headers(TOKEN));
      call.sendMessage(large);
      holders.add(call);
    }
    ManagedChannel channel = channel();
    for (int i = 0; i < 500; i++) {
      CompletableFuture<Answer> answer = new CompletableFuture<>();
      ClientCall<byte[], byte[]> call = call(channel, TRACES, "identity");
      call.start(new Listener(answer), headers(TOKEN));
      call.sendMessage(large);
      call.cancel("enough", null);
      answer.get();
    }
    holders.forEach(call -> call.cancel("enough", null));
    assertThat(export(TRACES, Requests.spans(1, 1), "identity", TOKEN).status().isOk()).isTrue();
  }

  @Test
  void bytesThatAreNoHttp2_harmNobody() throws Exception {
    for (String nonsense :
        List.of("GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n", "\u0000\u0001")) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), collector.grpcPort())) {
        socket.getOutputStream().write(nonsense.getBytes());
      }
    }
    assertThat(export(TRACES, Requests.spans(1, 1), "identity", TOKEN).status().isOk()).isTrue();
  }

  @Tag("campaign")
  @Test
  void mutatedRequests_areEachAnsweredAndSpoilNoGoodOne() throws Exception {
    Random random = new Random(5);
    ManagedChannel channel = channel();
    Set<Status.Code> codes = EnumSet.noneOf(Status.Code.class);
    for (int i = 0; i < 2_000; i++) {
      byte[] mutated = Requests.spans(1, 5);
      for (int times = random.nextInt(4); times >= 0; times--) {
        mutated[random.nextInt(mutated.length)] ^= (byte) (1 << random.nextInt(8));
      }
      String compression = i % 2 == 0 ? "gzip" : "identity";
      codes.add(export(channel, TRACES, mutated, compression, TOKEN).get().status().getCode());
      if (i % 100 == 0) {
        byte[] good = Requests.spans(1_000_000 + i, 1);
        assertThat(export(channel, TRACES, good, compression, TOKEN).get().status().isOk())
            .isTrue();
      }
    }
    assertThat(codes).containsExactlyInAnyOrder(Status.Code.OK, Status.Code.INVALID_ARGUMENT);
    long[] good = new long[1];
    new TracesReader().read(file, span -> good[0] += isGood(span.spanId()) ? 1 : 0);
    assertThat(good[0]).isEqualTo(20);
  }

  @Test
  void allThreads_areDaemons() throws Exception {
    export(TRACES, Requests.spans(1, 1), "identity", TOKEN);
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().startsWith("roll-otel-grpc-"))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
  }
}
