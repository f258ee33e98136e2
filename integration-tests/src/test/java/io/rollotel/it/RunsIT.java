package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.FileSpans;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SpanEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Run telemetry in the collector's files, row by row. */
class RunsIT {

  private static final String NEWEST = System.getProperty("opentelemetry.newest");

  private @TempDir Path directory;

  private ProgramRun program(String version) throws IOException {
    return ProgramRun.of(directory, RunsWorker.class)
        .telemetry()
        .openTelemetry(version, false)
        .environment("DSPY_RLM_OTEL_ENABLED", "Yes")
        .environment("ROLL_OTEL_TRACE_URL_TEMPLATE", "http://viewer/{trace_id}?span={span_id}");
  }

  static Stream<String> versions() {
    return ProgramRun.openTelemetryVersions().stream();
  }

  /** Each row that RLM Code's sink produces, on every supported version of the API. */
  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("versions")
  void threeSteps_areTheTraceOfTheSeed(String version) throws Exception {
    Result result =
        program(version).run().isCleanBut("never ended", "still open when its run ended");

    FileSpans spans = new FileSpans(result);
    FileSpans.Entry run = spans.with("rlm.run", "rlm.run_id", "r1");
    assertThat(run.attributes())
        .isEqualTo(
            new TreeMap<>(
                Map.of(
                    "rlm.run_id",
                    "r1",
                    "rlm.task",
                    "🧩".repeat(400) + "t".repeat(100),
                    "rlm.environment",
                    "puzzle",
                    "rlm.max_steps",
                    10L,
                    "rlm.model",
                    "astar",
                    "rlm.completed",
                    true,
                    "rlm.total_steps",
                    3L,
                    "rlm.total_reward",
                    1.5,
                    "rlm.run_path",
                    "/runs/r1")));
    assertThat(run.parent()).isEmpty();
    assertThat(run.status()).isEqualTo("OK");
    assertThat(run.events()).containsExactly("final_answer{answer=" + "a".repeat(1_000) + "}");

    List<FileSpans.Entry> steps = spans.below(run);
    assertThat(steps).extracting(FileSpans.Entry::name).containsOnly("rlm.step");
    assertThat(steps)
        .extracting(FileSpans.Entry::attributes)
        .containsExactly(
            step(1, "run_python", 0.5, 0.5, true),
            step(2, "unknown", -0.25, 0.25, false),
            step(3, "submit", 1.25, 1.5, true));
    assertThat(steps)
        .extracting(FileSpans.Entry::status)
        .containsExactly("OK", "ERROR " + "e".repeat(200), "OK");
    assertThat(steps.get(0).events())
        .containsExactly(
            "code_execution{code=" + "c".repeat(1_000) + "}",
            "output{output=" + "o".repeat(999) + "😀}");
    assertThat(steps.get(1).events()).isEmpty();

    assertThat(spans.below(steps.get(0)))
        .singleElement()
        .satisfies(
            worker -> {
              assertThat(worker.name()).isEqualTo("worker.work");
              assertThat(worker.attributes())
                  .containsEntry("reward", 0.5)
                  .containsEntry("rl.reward.score", 0.5)
                  .containsEntry("tries", 3L);
            });

    FileSpans.Entry failed = spans.with("rlm.run", "rlm.run_id", "r2");
    assertThat(failed.status()).isEqualTo("ERROR " + "f".repeat(200));
    assertThat(failed.attributes()).containsEntry("rlm.model", "unknown");

    FileSpans.Entry unended = spans.with("rlm.run", "rlm.run_id", "r3");
    assertThat(unended.attributes())
        .containsEntry("rlm.completed", false)
        .containsEntry("rlm.total_steps", 1L)
        .containsEntry("rlm.total_reward", 0.125);
    assertThat(unended.status()).isEqualTo("UNSET");
    assertThat(spans.below(unended)).hasSize(1);
    assertThat(spans.files()).as("all by the collector").containsOnly("traces.jsonl");

    String span = steps.get(0).spanId();
    assertThat(result.lines())
        .contains(
            "trace " + run.traceId(),
            "record {episode=1, span_id="
                + span
                + ", trace_id="
                + run.traceId()
                + ", traceparent=00-"
                + run.traceId()
                + "-"
                + span
                + "-01}",
            "outside {episode=1}",
            "link http://viewer/" + run.traceId() + "?span=" + span,
            "ignored 0");
    assertThat(spans.resource()).containsEntry("service.name", "rlm-code");

    assertThat(metrics(directory.resolve("output/otlp/metrics/metrics.jsonl")))
        .containsEntry("rlm.runs[1]", Map.of("environment=puzzle", 2.0, "environment=maze", 1.0))
        .containsEntry("rlm.steps[1]", Map.of("run_id=r1", 3.0, "run_id=r3", 1.0))
        .containsEntry("rlm.reward[1]", Map.of("run_id=r1", 1.75, "run_id=r3", 0.125))
        .hasEntrySatisfying(
            "rlm.run_duration[s]",
            durations ->
                assertThat(durations).containsOnlyKeys("completed=True", "completed=False"));
  }

  private static Map<String, Object> step(
      long number, String action, double reward, double cumulative, boolean success) {
    return new TreeMap<>(
        Map.of(
            "rlm.run_id", "r1",
            "rlm.step", number,
            "rlm.action_type", action,
            "rlm.reward", reward,
            "rlm.cumulative_reward", cumulative,
            "rlm.success", success));
  }

  @Test
  void metricsOffAndContentOff_leaveNeither() throws Exception {
    Result result =
        program(NEWEST)
            .environment("DSPY_RLM_OTEL_METRICS_ENABLED", "false")
            .environment("ROLL_OTEL_RUNS_CONTENT", "off")
            .environment("OTEL_SERVICE_NAME", "planner")
            .run()
            .isCleanBut("never ended", "still open when its run ended");
    FileSpans spans = new FileSpans(result);
    assertThat(spans.all()).flatExtracting(FileSpans.Entry::events).isEmpty();
    assertThat(spans.with("rlm.run", "rlm.run_id", "r1").attributes())
        .doesNotContainKey("rlm.task");
    assertThat(spans.resource()).containsEntry("service.name", "planner");
    assertThat(directory.resolve("output/otlp/metrics")).doesNotExist();
    assertThat(result.lines().get(0))
        .isEqualTo(
            "status {name=opentelemetry, enabled=true, available=true, detail=the run's collector,"
                + " service_name=planner, metrics_enabled=false}");
  }

  @Test
  void debugLog_saysNothingOfStatusesAndWhoseSpansWereWritten() throws Exception {
    Result result = program(NEWEST).environment("ROLL_OTEL_LOG", "debug").run();
    assertThat(result.exitCode()).isZero();
    assertThat(result.said())
        .noneMatch(line -> line.contains("setStatus"))
        .anyMatch(
            line -> line.contains("collector stopped: no requests from other processes, 8 spans"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nope", "http://viewer/", "{trace_id}"})
  void templateThatMakesNoLink_isOneLine(String template) throws Exception {
    Result result =
        program(NEWEST)
            .environment("ROLL_OTEL_TRACE_URL_TEMPLATE", template)
            .run()
            .isCleanBut(
                "never ended", "still open when its run ended", "TRACE_URL_TEMPLATE=" + template);
    assertThat(result.said()).filteredOn(line -> line.contains("TEMPLATE")).hasSize(1);
    assertThat(result.lines()).contains("link none");
  }

  @Test
  void nobodyCollects_metricsGoToTheProcessesOwnFile() throws Exception {
    program(NEWEST)
        .environment("ROLL_OTEL_ROLE", "worker")
        .environment("ROLL_OTEL_INSTANCE", "planner-0")
        .run()
        .isCleanBut(
            "never ended",
            "still open when its run ended",
            "8 spans were not delivered to any collector (nobody collects)");
    assertThat(metrics(directory.resolve("output/otlp/metrics/planner-0.jsonl")))
        .containsKeys("rlm.runs[1]", "rlm.steps[1]", "rlm.reward[1]", "rlm.run_duration[s]");
  }

  @Test
  void metricsExporterNone_exportsNone() throws Exception {
    program(NEWEST)
        .environment("OTEL_METRICS_EXPORTER", "none")
        .run()
        .isCleanBut("never ended", "still open when its run ended");
    assertThat(directory.resolve("output/otlp/metrics")).doesNotExist();
  }

  /** Class paths of the same program, and its results with each. */
  private enum World {
    NOTHING("available=false, detail=opentelemetry-api is not on the class path", false),
    API_ALONE("available=false, detail=no OpenTelemetry SDK and no agent takes the spans", false),
    OWN_SDK("available=true, detail=the application's SDK", true),
    AGENT_AND_API("available=true, detail=the run's collector", true),
    AGENT_ALONE("available=false, detail=opentelemetry-api is not on the class path", false);

    private final String status;
    private final boolean traces;

    World(String status, boolean traces) {
      this.status = status;
      this.traces = traces;
    }
  }

  @ParameterizedTest
  @EnumSource
  void program_runsInEveryWorldWithWhatItCanGive(World world) throws Exception {
    ProgramRun program =
        ProgramRun.of(directory, world == World.OWN_SDK ? RunsWithOwnSdk.class : RunsWorker.class)
            .telemetry()
            .environment("ROLL_OTEL_RUNS_ENABLED", "1");
    if (world == World.API_ALONE || world == World.AGENT_AND_API) {
      program.openTelemetry(NEWEST, false);
    } else if (world == World.OWN_SDK) {
      program.openTelemetry(NEWEST, true);
    }
    if (world == World.AGENT_ALONE || world == World.AGENT_AND_API) {
      program.withAgent();
    } else {
      program.withoutAgent().withoutEnvironment("ROLL_OTEL_ENABLED");
    }
    Result result = program.run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.err().lines().filter(line -> !line.matches(".*(never ended|still open).*")))
        .isEmpty();
    List<String> lines = result.lines().stream().filter(l -> !l.startsWith("exported")).toList();
    assertThat(lines.get(0)).contains("enabled=true, " + world.status);
    assertThat(lines.get(1)).matches(world.traces ? "trace [0-9a-f]{32}" : "trace none");
    assertThat(lines.get(2).contains("trace_id=")).isEqualTo(world.traces);
    assertThat(lines).contains("outside {episode=1}", "ignored 0");
    if (world == World.OWN_SDK) {
      assertThat(result.lines().stream().filter(line -> line.startsWith("exported rlm.")))
          .hasSize(7);
    }
    if (world == World.AGENT_ALONE) {
      assertThat(result.spans())
          .singleElement()
          .satisfies(s -> assertThat(s.name()).isEqualTo("worker.work"));
    }
  }

  /** By name and unit: the last value (a histogram's sum) by its attributes. */
  private static Map<String, Map<String, Double>> metrics(Path file) throws IOException {
    Map<String, Map<String, Double>> metrics = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      for (Map<?, ?> metric : FileSpans.all(SpanEvents.parse(line), "metrics")) {
        String key = metric.get("name") + "[" + metric.get("unit") + "]";
        for (Map<?, ?> point : FileSpans.all(metric, "dataPoints")) {
          Object value = point.containsKey("asInt") ? point.get("asInt") : point.get("sum");
          metrics
              .computeIfAbsent(key, k -> new TreeMap<>())
              .put(
                  String.join(",", texts(FileSpans.attributes(point))),
                  Double.parseDouble((String) value));
        }
      }
    }
    return metrics;
  }

  private static List<String> texts(Map<String, Object> attributes) {
    List<String> texts = new ArrayList<>();
    attributes.forEach((key, value) -> texts.add(key + "=" + value));
    return texts;
  }
}
