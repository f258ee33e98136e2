package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All processes of a run belong to one run, whoever starts them and whatever they know. */
class OneRunIT {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  private @TempDir Path directory;

  @Test
  void javaDriverStartsJavaWorkers_theirSpansAreOneTreeOfOneRun() throws Exception {
    Path payload = directory.resolve("payload.json");
    List<String> arguments = new ArrayList<>(List.of(payload.toString(), "2"));
    arguments.addAll(worker(payload, "50").command());
    Path log = directory.resolve("classes.log");
    Result result =
        program(StartingDriver.class, arguments)
            .jvmOptions("-Xlog:class+load:file=" + log)
            // Three JVMs that load gRPC at once may take longer than 2 s where others work as well.
            .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
            .run()
            .isClean();

    assertThat(Files.readAllLines(log))
        .anyMatch(line -> line.contains(" io.grpc.netty.NettyServer "))
        .as("nobody speaks HTTP")
        .noneMatch(line -> line.contains(" io.rollotel.traces.collector.HttpServer "));
    assertThat(result.lines())
        .contains(
            "hands on [ROLL_OTEL_ENABLED, ROLL_OTEL_ROLE, ROLL_OTEL_RUN_ID, ROLL_OTEL_OUTPUT_DIR,"
                + " OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL,"
                + " OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES]")
        .filteredOn(line -> line.equals("ended with 0"))
        .hasSize(2);
    Span step = result.span("pipeline_step");
    List<Span> workers = new ArrayList<>(result.spans());
    workers.remove(step);
    assertThat(workers)
        .hasSize(100)
        .allMatch(span -> span.parentSpanId().equals(step.spanId()))
        .allMatch(span -> runId(span).equals(runId(step)));
    assertThat(directory.resolve("output/otlp/traces"))
        .as("all was delivered to the driver")
        .isDirectoryNotContaining("regex:.*/[^/]+\\.jsonl(?<!traces\\.jsonl)");
  }

  @Test
  void tracingIsOff_nothingIsHandedOn() throws Exception {
    List<String> arguments = List.of(directory.resolve("payload.json").toString(), "0");
    for (ProgramRun run :
        List.of(
            program(StartingDriver.class, arguments).withoutEnvironment("ROLL_OTEL_ENABLED"),
            program(StartingDriver.class, arguments)
                .withoutEnvironment("ROLL_OTEL_ENABLED")
                .withoutAgent())) {
      assertThat(run.run().isClean().lines()).containsExactly("hands on []");
    }
  }

  /** Its SDK is built before the first call's context is read. */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    ", monday, , monday",
    ", , , [0-9a-f]{16}",
    "tuesday, monday, has ROLL_OTEL_RUN_ID=tuesday, tuesday",
    ", 'mon day', , [0-9a-f]{16}",
  })
  void workerWithAnEndpoint_takesTheRunOfItsFirstCall(
      String own, String callers, String said, String expected) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    Path payload = payload(callers);
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      ProgramRun run =
          worker(payload, "3")
              .environment(
                  "OTEL_EXPORTER_OTLP_ENDPOINT",
                  "http://127.0.0.1:" + collector.port("http/protobuf"));
      if (own != null) {
        run.environment("ROLL_OTEL_RUN_ID", own);
      }
      Result result = run.run();
      assertThat(result.said()).hasSize(said == null ? 0 : 1);
      assertThat(result.err()).contains(said == null ? "" : said);
    }
    assertThat(Result.spans(elsewhere))
        .hasSize(3)
        .allMatch(span -> span.traceId().equals(TRACE))
        .allMatch(span -> runId(span).matches(expected));
  }

  @Test
  void callsOfAnotherRun_areSaidOnceWithTheDirectory() throws Exception {
    Result result = worker(payload("monday"), "3").run();
    assertThat(result.said())
        .singleElement()
        .asString()
        .contains("calls come from run monday", directory.resolve("output/otlp").toString());
    assertThat(result.spans()).hasSize(3).noneMatch(span -> runId(span).equals("monday"));
  }

  private static String runId(Span span) {
    return span.resource().text("roll.run_id");
  }

  private Path payload(String runId) throws Exception {
    return Files.writeString(
        directory.resolve("payload.json"),
        "{\"meta_info\":{\"_otel_ctx\":{\"traceparent\":\"00-%s-b7ad6b7169203331-01\"%s}}}"
            .formatted(TRACE, runId == null ? "" : ",\"roll.run_id\":\"" + runId + "\""));
  }

  private ProgramRun worker(Path payload, String calls) throws Exception {
    return program(JsonPayloadWorker.class, List.of("worker", payload.toString(), calls));
  }

  private ProgramRun program(Class<?> main, List<String> arguments) throws Exception {
    return ProgramRun.of(directory, main, arguments.toArray(new String[0]))
        .openTelemetry(System.getProperty("opentelemetry.newest"), false)
        .telemetry()
        .json();
  }
}
