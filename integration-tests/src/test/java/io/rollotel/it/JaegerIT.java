package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.internal.InternalFutureFailureAccess;
import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.FreePort;
import io.rollotel.it.kit.LargeSpans;
import io.rollotel.it.kit.Otelcol;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our file in a real Jaeger: by {@code replay}, and by what its page's upload calls. */
@Tag("engines")
class JaegerIT {

  private static final int STEPS = 8;

  private final HttpClient client = HttpClient.newHttpClient();
  private static @TempDir Path directory;
  private static Map<String, Span> ours = Map.of();
  private Process jaeger;
  private int grpcPort;
  private URI otlp;
  private URI query;

  /** The spans of a training and of a program whose calls fail, by their ids. */
  @BeforeAll
  static void trace() throws Exception {
    ProgramRun.of(directory, PlainWorker.class)
        .jar(
            ProgramRun.ROOT.resolve("examples/target/roll-otel-examples.jar"),
            "--steps",
            Integer.toString(STEPS))
        .jvmOptions("-Dworker.jvm.options=-Xmx256m -javaagent:\"" + ProgramRun.AGENT + "\"")
        .run()
        .isClean();
    Result result =
        ProgramRun.of(directory, FutureWorker.class)
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .classPath(
                ProgramRun.jarOf(ListenableFuture.class),
                ProgramRun.jarOf(InternalFutureFailureAccess.class))
            .run();
    ours = result.spans().stream().collect(Collectors.toMap(Span::spanId, Function.identity()));
    assertThat(ours).hasSizeGreaterThan(STEPS * 17);
    assertThat(ours.values()).anyMatch(span -> span.statusCode() == Span.STATUS_ERROR);
  }

  @BeforeEach
  void start() throws Exception {
    int otlpPort = FreePort.find();
    grpcPort = FreePort.find();
    int queryPort = FreePort.find();
    otlp = URI.create("http://127.0.0.1:" + otlpPort);
    query = URI.create("http://127.0.0.1:" + queryPort);
    Path log = directory.resolve("jaeger.log");
    ProcessBuilder builder =
        new ProcessBuilder(
            jaegerHome().resolve("jaeger").toString(),
            "--config",
            ProgramRun.ROOT.resolve("engines/jaeger.yaml").toString());
    builder.environment().put("OTLP_PORT", Integer.toString(otlpPort));
    builder.environment().put("OTLP_GRPC_PORT", Integer.toString(grpcPort));
    builder.environment().put("QUERY_PORT", Integer.toString(queryPort));
    jaeger = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Patience.until(
        () -> "Jaeger answers: " + Files.readString(log),
        jaeger.toHandle(),
        () -> answers(otlp.resolve("/v1/traces")) && answers(query.resolve("/api/services")));
  }

  @AfterEach
  void end() throws InterruptedException {
    jaeger.destroy();
    assertThat(Patience.untilEnd(jaeger)).isTrue();
  }

  @Test
  void replayedFile_hasEverySpanInJaeger() throws Exception {
    Result replay =
        ProgramRun.of(directory, PlainWorker.class)
            .jar(
                ProgramRun.AGENT,
                "replay",
                directory.resolve("output/otlp").toString(),
                "--endpoint=" + otlp)
            .withoutAgent()
            .run()
            .isClean();

    assertThat(replay.out()).contains(ours.size() + " spans sent to " + otlp);
    Map<String, Map<String, Object>> theirs = new HashMap<>();
    for (String traceId : ours.values().stream().map(Span::traceId).collect(Collectors.toSet())) {
      collect(get("/api/traces/" + traceId), theirs);
    }
    assertSame(theirs);
  }

  @Test
  void gatewayInFrontOfJaeger_handsOnEverySpan() throws Exception {
    try (Otelcol gateway =
        new Otelcol(directory.resolve("gateway"), "gateway-jaeger.yaml")
            .environment("JAEGER_ENDPOINT", "127.0.0.1:" + grpcPort)
            .start()) {
      ProgramRun.of(directory, PlainWorker.class)
          .jar(
              ProgramRun.AGENT,
              "replay",
              directory.resolve("output/otlp").toString(),
              "--endpoint=http://127.0.0.1:" + gateway.grpcPort())
          .withoutAgent()
          .run()
          .isClean();
      gateway.stop(); // hands on what it has before it ends
    }
    Map<String, Map<String, Object>> theirs = new HashMap<>();
    for (String traceId : ours.values().stream().map(Span::traceId).collect(Collectors.toSet())) {
      collect(get("/api/traces/" + traceId), theirs);
    }
    assertSame(theirs);
  }

  /** Jaeger takes messages of 4 MiB. */
  @Test
  void largeSpansThroughAGateway_areAllInJaeger() throws Exception {
    try (Otelcol gateway =
        new Otelcol(directory.resolve("large"), "gateway-jaeger.yaml")
            .environment("JAEGER_ENDPOINT", "127.0.0.1:" + grpcPort)
            .start()) {
      LargeSpans.send(gateway.grpcPort());
      Patience.until(
          () -> "all traces of the large spans are whole in Jaeger",
          () -> {
            for (String traceId : LargeSpans.traceIds()) {
              if (spansOf(traceId) != LargeSpans.SPANS_OF_A_TRACE) {
                return false;
              }
            }
            return true;
          });
    }
  }

  /** 0 where the trace is not there yet. */
  private int spansOf(String traceId) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(query.resolve("/api/traces/" + traceId)).build(),
            BodyHandlers.ofString());
    Map<String, Map<String, Object>> theirs = new HashMap<>();
    if (answer.statusCode() == 200) {
      collect(Json.object(answer.body()), theirs);
    }
    return theirs.size();
  }

  @Test
  void uploadedFile_isTransformedWhole() throws Exception {
    Map<String, Map<String, Object>> theirs = new HashMap<>();
    // Jaeger's page sends it line by line as well.
    try (var files = Files.list(directory.resolve("output/otlp/traces"))) {
      for (Path file : files.filter(file -> file.toString().endsWith(".jsonl")).toList()) {
        for (String line : Files.readAllLines(file)) {
          HttpResponse<String> answer = post(query.resolve("/api/transform"), line);
          assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
          collect(Json.object(answer.body()), theirs);
        }
      }
    }
    assertSame(theirs);
  }

  private static void assertSame(Map<String, Map<String, Object>> theirs) {
    assertThat(theirs).hasSameSizeAs(ours);
    ours.forEach(
        (spanId, span) -> {
          Map<String, Object> their = theirs.getOrDefault(spanId, Map.of());
          assertThat(their)
              .containsEntry("operationName", span.name())
              .containsEntry("traceID", span.traceId())
              .containsEntry("startTime", span.startEpochNanos() / 1_000);
          assertThat(Json.maps(their.get("references")))
              .extracting(reference -> reference.get("spanID"))
              .isEqualTo(span.parentSpanId().isEmpty() ? List.of() : List.of(span.parentSpanId()));
          assertThat(Json.maps(their.get("tags")))
              .filteredOn(tag -> "error".equals(tag.get("key")))
              .hasSize(span.statusCode() == Span.STATUS_ERROR ? 1 : 0);
        });
  }

  private static void collect(Map<String, Object> answer, Map<String, Map<String, Object>> spans) {
    for (Map<String, Object> trace : Json.maps(answer.get("data"))) {
      for (Map<String, Object> span : Json.maps(trace.get("spans"))) {
        assertThat(spans.put((String) span.get("spanID"), span)).as("twice").isNull();
      }
    }
  }

  private boolean answers(URI address) throws InterruptedException {
    try {
      post(address, "{}");
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private Map<String, Object> get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(query.resolve(path)).build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Json.object(answer.body());
  }

  private HttpResponse<String> post(URI address, String json)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build(),
        BodyHandlers.ofString());
  }

  private static Path jaegerHome() {
    return Engines.folder("jaeger", "version");
  }
}
