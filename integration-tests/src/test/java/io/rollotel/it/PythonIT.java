package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One trace of Python's and Java's spans: OpenTelemetry for Python in a process of its own. */
@Tag("engines")
class PythonIT {

  private static final Path SCRIPTS = ProgramRun.ROOT.resolve("integration-tests/src/test/python");

  private @TempDir Path directory;

  @Test
  void pythonDriverAndJavaWorker_shareOneTrace() throws Exception {
    Path payload = directory.resolve("payload.json");
    String[] ids = peer("driver", payload);
    Result result = java("worker", payload);

    assertThat(result.lines()).containsExactly("step 7");
    Span step = result.span("pipeline_step");
    assertThat(List.of(step.traceId(), step.spanId())).containsExactly(ids);
    assertThat(step.resource().text("service.name")).isEqualTo("python-driver");
    Span worker = result.span("worker.generate");
    assertThat(worker.traceId()).isEqualTo(step.traceId());
    assertThat(worker.parentSpanId()).isEqualTo(step.spanId());
    assertThat(worker.resource().text("service.name")).isEqualTo("JsonPayloadWorker");
    assertThat(result.spans()).hasSize(2);
  }

  @Test
  void javaDriverAndPythonWorker_shareOneTrace() throws Exception {
    Path payload = directory.resolve("payload.json");
    Result result = java("driver", payload);
    String[] ids = peer("worker", payload);

    Span step = result.span("pipeline_step");
    Span worker = result.span("worker.generate");
    assertThat(List.of(worker.traceId(), worker.spanId())).containsExactly(ids);
    assertThat(worker.traceId()).isEqualTo(step.traceId());
    assertThat(worker.parentSpanId()).isEqualTo(step.spanId());
    assertThat(worker.resource().text("service.name")).isEqualTo("python-worker");
    assertThat(result.spans()).hasSize(2);
  }

  @Test
  void parityVectors_areWhatTheScriptMakes() throws Exception {
    assertThat(python("parity_vectors.py"))
        .as("python parity_vectors.py > ../resources/parity-vectors.json")
        .isEqualTo(Files.readString(ParityIT.VECTORS));
  }

  @Test
  void carrierVectors_areWhatTheScriptMakes() throws Exception {
    assertThat(python("carrier_vectors.py"))
        .as("python carrier_vectors.py > ../resources/carrier-vectors.json")
        .isEqualTo(Files.readString(CarrierVectorsTest.VECTORS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http"})
  void pythonsOwnExporters_deliverToTheCollector(String protocol) throws Exception {
    CollectorSettings driver = CollectorSettings.ofDriver();
    CollectorSettings settings =
        new CollectorSettings(
            driver.kind(), driver.host(), 0, 0, "", driver.limits(), driver.rules(), driver.page());
    try (EmbeddedCollector collector =
        EmbeddedCollector.start(directory.toFile(), "", settings, line -> {})) {
      String endpoint =
          protocol.equals("grpc")
              ? "http://127.0.0.1:" + collector.grpcPort()
              : collector.endpoint().toString();
      python("export.py", protocol, endpoint, "5000");
      assertThat(collector.written()).isEqualTo(5000);
    }
    List<Span> spans = Result.spans(directory);
    assertThat(spans).hasSize(5000);
    assertThat(spans)
        .allMatch(span -> span.resource().text("service.name").equals("python-" + protocol))
        .extracting(span -> span.attributes().get("number"))
        .doesNotHaveDuplicates()
        .contains(0L, 4999L);
  }

  /** As ROLL's workers: gRPC whatever is set, the token as metadata, the run as a resource. */
  @Test
  void javaDriverStartsPythonWorkers_theirSpansAreOneTreeOfOneRun() throws Exception {
    Path payload = directory.resolve("payload.json");
    List<String> arguments = new ArrayList<>(List.of(payload.toString(), "3"));
    arguments.addAll(command("grpc_worker.py", payload.toString(), "500"));
    Result result =
        ProgramRun.of(directory, StartingDriver.class, arguments.toArray(new String[0]))
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .telemetry()
            .json()
            .environment("OTEL_RESOURCE_ATTRIBUTES", "team=a%2Cb")
            .run()
            .isClean();

    assertThat(result.lines()).filteredOn(line -> line.equals("ended with 0")).hasSize(3);
    Span step = result.span("pipeline_step");
    List<Span> workers = new ArrayList<>(result.spans());
    workers.remove(step);
    assertThat(workers)
        .hasSize(1500)
        .allMatch(span -> span.name().equals("worker.generate"))
        .allMatch(span -> span.traceId().equals(step.traceId()))
        .allMatch(span -> span.parentSpanId().equals(step.spanId()))
        .allMatch(span -> span.resource().text("service.name").equals("python-worker"))
        .allMatch(span -> span.resource().text("team").equals("a,b"))
        .allMatch(
            span ->
                span.resource().text("roll.run_id").equals(step.resource().text("roll.run_id")));
  }

  /** The protocol that is set for the workers; {@code -} for none. */
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "-"})
  void pythonDriverWithAReceiverOfGrpc_getsAllSpansOfItsJavaWorkers(String protocol)
      throws Exception {
    Path payload = directory.resolve("payload.json");
    List<String> arguments = new ArrayList<>(List.of(payload.toString(), "3", protocol));
    arguments.addAll(
        ProgramRun.of(directory, JsonPayloadWorker.class, "worker", payload.toString(), "500")
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .telemetry()
            .json()
            .command());
    List<String[]> spans =
        python("grpc_driver.py", arguments.toArray(new String[0]))
            .lines()
            .map(line -> line.split(" "))
            .toList();

    String[] step =
        spans.stream().filter(span -> span[0].equals("pipeline_step")).findFirst().orElseThrow();
    List<String[]> workers = new ArrayList<>(spans);
    workers.remove(step);
    assertThat(workers)
        .hasSize(1500)
        .allMatch(span -> span[0].equals("worker.generate") && span[1].equals(step[1]))
        .allMatch(span -> span[3].equals(step[2]) && span[4].equals("JsonPayloadWorker"));
    assertThat(directory.resolve("output/otlp/traces")).as("no own file").doesNotExist();
  }

  private Result java(String role, Path payload) throws Exception {
    return ProgramRun.of(directory, JsonPayloadWorker.class, role, payload.toString())
        .openTelemetry(System.getProperty("opentelemetry.newest"), false)
        .telemetry()
        .json()
        .run()
        .isClean();
  }

  /** The ids of the span that the Python process made. */
  private String[] peer(String role, Path payload) throws Exception {
    Path traces = Files.createDirectories(directory.resolve("output/otlp/traces"));
    return python("peer.py", role, payload.toString(), traces.resolve("python.jsonl").toString())
        .strip()
        .split(" ");
  }

  /** What the script printed. */
  private String python(String script, String... arguments) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command(script, arguments)).directory(directory.toFile());
    Launched.clean(builder)
        .environment()
        .putAll(Map.of("PYTHONDONTWRITEBYTECODE", "1", "PYTHONUTF8", "1"));
    return Finished.of(builder).isWell().out();
  }

  private static List<String> command(String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(interpreter().toString());
    command.add(SCRIPTS.resolve(script).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static Path interpreter() throws IOException {
    return Engines.python("python", ProgramRun.ROOT.resolve("engines/requirements.txt"))
        .resolve("bin/python");
  }
}
