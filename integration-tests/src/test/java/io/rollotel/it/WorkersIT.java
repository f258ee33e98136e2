package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Worker methods under the shipped jar, with each kind of OpenTelemetry on the class path. */
class WorkersIT {

  private @TempDir Path directory;

  static Stream<String> versions() {
    return Stream.of(
        System.getProperty("opentelemetry.oldest"), System.getProperty("opentelemetry.newest"));
  }

  static List<String> allVersions() {
    return ProgramRun.openTelemetryVersions();
  }

  /** A version that is not officially supported, but works. */
  static Stream<String> allVersionsAndOneBelow() {
    return Stream.concat(
        Stream.of(System.getProperty("opentelemetry.belowOldest")), allVersions().stream());
  }

  @Test
  void noOpenTelemetry_isTraced() throws Exception {
    Result result = ProgramRun.of(directory, PlainWorker.class).run().isClean();

    assertThat(result.lines())
        .contains("sum 2", "caught no gradient", "sending [_otel_ctx]", "sent [_otel_ctx]");
    Span train = result.span("worker.train");
    assertThat(train.traceId()).isEqualTo(Payload.TRACE_ID);
    assertThat(train.parentSpanId()).isEqualTo(Payload.SPAN_ID);
    assertThat(train.scopeName()).isEqualTo("worker");
    assertThat(train.resource().attributes())
        .containsKeys("service.instance.id", "process.pid", "host.name", "roll.run_id")
        .containsEntry("service.name", "PlainWorker");
    Span fail = result.span("worker.fail");
    assertThat(fail.statusCode()).isEqualTo(Span.STATUS_ERROR);
    assertThat(result.spans()).hasSize(2);
  }

  @Test
  void resource_namesRankAndCluster() throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .environment("RANK", "3")
            .environment("WORLD_SIZE", "8")
            .environment("CLUSTER_NAME", "actor_infer")
            .environment("ROLL_OTEL_INSTANCE", "actor_infer-3")
            .environment("ROLL_OTEL_RUN_ID", "tuesday")
            .run()
            .isClean();

    assertThat(result.span("worker.train").resource().attributes())
        .containsEntry("roll.rank", 3L)
        .containsEntry("roll.world_size", 8L)
        .containsEntry("roll.cluster_name", "actor_infer")
        .containsEntry("service.name", "actor_infer")
        .containsEntry("service.instance.id", "actor_infer-3")
        .containsEntry("roll.run_id", "tuesday");
  }

  @ParameterizedTest
  @CsvSource({"'', actor_train-0-G01:{pid}", "mine, mine"})
  void workerNameOfRoll_isTheInstanceAndItsFilesAreTheProcesss(String own, String instance)
      throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .environment("WORKER_NAME", " actor_train-0-G01 ")
            .environment("ROLL_OTEL_INSTANCE", own)
            .environment("ROLL_OTEL_EXPORTER", "file")
            .run()
            .isClean();

    Span train = result.span("worker.train");
    String pid = train.resource().text("process.pid");
    assertThat(train.resource().text("service.instance.id"))
        .isEqualTo(instance.replace("{pid}", pid));
    String process = train.resource().text("host.name") + "-" + pid;
    try (Stream<Path> files = Files.list(result.directory().resolve("output/otlp/traces"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .contains(own.isEmpty() ? "actor_train-0-G01-" + process + ".jsonl" : "mine.jsonl");
    }
    assertThat(result.span("worker.fail").failure())
        .isEqualTo("IllegalStateException: no gradient");
  }

  @ParameterizedTest
  @MethodSource("allVersionsAndOneBelow")
  void spanByHand_isChildOfWorkerSpanAndParentOfTheNext(String version) throws Exception {
    Result result =
        ProgramRun.of(directory, HandSpanWorker.class)
            .openTelemetry(version, false)
            .run()
            .isClean();

    Span worker = result.span("worker.generate");
    Span byHand = result.span("by hand");
    Span inner = result.span("worker.score");
    assertThat(worker.traceId()).isEqualTo(Payload.TRACE_ID);
    assertThat(byHand.parentSpanId()).isEqualTo(worker.spanId());
    assertThat(inner.parentSpanId()).isEqualTo(byHand.spanId());
    assertThat(byHand.scopeName()).isEqualTo("application");
    assertThat(result.spans()).as("the suppressed call made none").hasSize(3);
  }

  @ParameterizedTest
  @MethodSource("allVersions")
  void ownSdkSetInMain_getsTheWorkerSpans(String version) throws Exception {
    Result result =
        ProgramRun.of(directory, OwnSdkWorker.class, "before")
            .openTelemetry(version, true)
            .run()
            .isClean();

    assertThat(result.lines())
        .containsExactly(
            "exported second of " + Payload.TRACE_ID,
            "exported worker.train of " + Payload.TRACE_ID,
            "done");
    assertThat(directory.resolve("output")).as("nothing of ours was started").doesNotExist();
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("allVersions")
  void ownSdkSetAfterTheFirstTracedCall_isAcceptedAndGetsTheNext(String version) throws Exception {
    Result result =
        ProgramRun.of(directory, OwnSdkWorker.class, "after")
            .openTelemetry(version, true)
            .run()
            .isClean();

    assertThat(result.lines())
        .containsExactly(
            "exported second of " + Payload.TRACE_ID,
            "exported worker.train of " + Payload.TRACE_ID,
            "done");
    assertThat(result.spans())
        .as("what the agent had recorded is still exported")
        .extracting(Span::name)
        .containsExactlyInAnyOrder("early", "first", "worker.train");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void telemetry_makesDispatchesAndSuppresses(String version) throws Exception {
    Result result =
        ProgramRun.of(directory, TelemetryDriver.class)
            .openTelemetry(version, false)
            .telemetry()
            .run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).containsExactly("keys [_otel_ctx]", "keys []", "done");
    assertThat(result.err().lines())
        .hasSize(1)
        .allMatch(line -> line.contains("Telemetry.init was called before"));
    Span step = result.span("pipeline_step");
    assertThat(step.attributes()).containsEntry("global_step", 7L);
    assertThat(step.resource().attributes())
        .containsEntry("service.name", "driver")
        .containsEntry("service.instance.id", "driver-0");
    Span worker = result.span("worker.generate");
    assertThat(worker.parentSpanId()).isEqualTo(step.spanId());
    assertThat(worker.attributes().get("roll.queue_ns"))
        .isInstanceOfSatisfying(Long.class, nanos -> assertThat(nanos).isPositive());
    assertThat(result.spans()).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void telemetryWithoutAgent_doesNothing(String version) throws Exception {
    Result result =
        ProgramRun.of(directory, TelemetryDriver.class)
            .openTelemetry(version, false)
            .telemetry()
            .withoutAgent()
            .run();

    result.isCleanBut(
        "ROLL_OTEL_ENABLED is set, but this JVM runs without -javaagent",
        "Telemetry.init was called before");
    assertThat(result.lines()).containsExactly("keys []", "keys []", "done");
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Test
  void nonsenseInThePayload_isIgnoredAndSaidOnce() throws Exception {
    Result result = ProgramRun.of(directory, HostileWorker.class).run();

    result.isCleanBut("_otel_ctx holds no valid trace context");
    assertThat(result.lines()).containsExactly("calls 8");
    assertThat(result.spans())
        .as("a key without a valid context makes a new root")
        .hasSize(8)
        .allMatch(span -> span.name().equals("worker.train") && span.parentSpanId().isEmpty());
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "ROLL_OTEL_OUPUT_DIR, x, unknown setting ROLL_OTEL_OUPUT_DIR; the nearest known one is"
        + " ROLL_OTEL_OUTPUT_DIR",
    "ROLL_OTEL_ROLE, boss, 'ROLL_OTEL_ROLE=boss is not understood; it takes auto, driver, worker'",
    "ROLL_OTEL_RAY, loud, 'ROLL_OTEL_RAY=loud is not understood; it takes off, on, verbose'",
    "ROLL_OTEL_EXEC, never, 'ROLL_OTEL_EXEC=never is not understood; it takes auto, always'",
    "ROLL_OTEL_EXPORTER, disk, 'ROLL_OTEL_EXPORTER=disk is not understood; it takes otlp, file'",
    "ROLL_OTEL_STARTUP_HOOK, setup, 'ROLL_OTEL_STARTUP_HOOK=setup is not understood'",
    "ROLL_OTEL_EXIT_TIMEOUT, soon, ROLL_OTEL_EXIT_TIMEOUT=soon is not understood",
    "ROLL_OTEL_RECORDER_BYTES, many, ROLL_OTEL_RECORDER_BYTES=many is not understood",
    "ROLL_OTEL_LOG, loud, ROLL_OTEL_LOG=loud is not understood",
    "ROLL_OTEL_LOG_CORRELATION, some, ROLL_OTEL_LOG_CORRELATION=some is not understood",
    "ROLL_OTEL_FILE_MAX_BYTES, much, ROLL_OTEL_FILE_MAX_BYTES=much is not understood",
    "OTEL_TRACES_SAMPLER, coin, 'OTEL_TRACES_SAMPLER=coin is ignored, the default is used'",
    "OTEL_TRACES_EXPORTER, zipkin, 'OTEL_TRACES_EXPORTER: the agent supports only otlp and none'",
    "OTEL_EXPORTER_OTLP_PROTOCOL, http/json, 'OTEL_EXPORTER_OTLP_PROTOCOL=http/json is not"
        + " understood; it takes grpc or http/protobuf, which is used'",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, pigeon, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=pigeon is not",
  })
  void badSetting_isOneLineAndTheProgramRunsOn(String name, String value, String line)
      throws Exception {
    Result result = ProgramRun.of(directory, PlainWorker.class).environment(name, value).run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.err().lines()).hasSize(1).allMatch(said -> said.contains(line));
    assertThat(result.spans()).as("traced all the same").hasSize(2);
  }

  @Test
  void badEnabled_isOneLineAndOff() throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class).environment("ROLL_OTEL_ENABLED", "maybe").run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.said())
        .singleElement()
        .asString()
        .contains("ROLL_OTEL_ENABLED=maybe is not understood; it takes 1, true, yes or on");
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Test
  void agentArguments_areSettings() throws Exception {
    ProgramRun.of(directory, PlainWorker.class)
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .agentArguments("enabled=true,output.dir=elsewhere,otel.service.name=named")
        .run()
        .isClean();

    assertThat(Result.spans(directory.resolve("elsewhere")))
        .hasSize(2)
        .allMatch(span -> span.resource().text("service.name").equals("named"));
  }

  @Test
  void endpointThatRefuses_leavesTheSpansInTheOwnFile() throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            // Port 9 is the discard service: nothing listens there.
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
            .environment("ROLL_OTEL_INSTANCE", "host:1")
            .run();

    assertThat(result.exitCode()).isZero();
    assertThat(directory.resolve("output/otlp/traces/host-1.jsonl")).exists();
    assertThat(result.spans()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_TRACES_SAMPLER, ratio",
    "OTEL_RESOURCE_ATTRIBUTES, team",
    "OTEL_BSP_MAX_QUEUE_SIZE, 10k"
  })
  void refusedValue_leavesTheEndpointInForce(String name, String value) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      Result result =
          ProgramRun.of(directory, PlainWorker.class)
              .environment(
                  "OTEL_EXPORTER_OTLP_ENDPOINT",
                  "http://127.0.0.1:" + collector.port("http/protobuf"))
              .environment(name, value)
              .run();

      assertThat(result.exitCode()).isZero();
      assertThat(result.said())
          .singleElement()
          .asString()
          .contains(name + "=" + value + " is ignored, the default is used: ");
      assertThat(Result.spans(elsewhere)).hasSize(2);
    }
  }

  @Test
  void directoryThatCannotBeWritten_isSaidAndTheProgramRunsOn() throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            // Nobody can create a directory below a device, not even root.
            .environment("ROLL_OTEL_OUTPUT_DIR", "/dev/null/otlp")
            .run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).contains("sum 2");
    assertThat(result.said()).anyMatch(line -> line.contains("cannot write in /dev/null/otlp"));
    assertThat(result.said()).anyMatch(line -> line.contains("tracing is off"));
    assertThat(result.said()).anyMatch(line -> line.contains("2 spans were dropped"));
    assertThat(result.said()).hasSize(3);
  }

  @Test
  void info_saysWhatWasDone() throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class).environment("ROLL_OTEL_LOG", "info").run();

    List<String> said = result.said();
    assertThat(said).anyMatch(line -> line.contains("this process collects: http://127.0.0.1:"));
    assertThat(said).anyMatch(line -> line.contains(", 2 spans written, 0 requests refused"));
  }
}
