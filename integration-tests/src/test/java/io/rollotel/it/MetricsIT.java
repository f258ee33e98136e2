package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.FileOtelcol;
import io.rollotel.it.kit.FileSpans;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SpanEvents;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of worker methods as a metric: {@code OTEL_METRICS_EXPORTER=otlp}. */
class MetricsIT {

  private static final String TRAIN = "io.rollotel.it.PlainWorker.train";
  private static final String FAIL = "io.rollotel.it.PlainWorker.fail";

  private @TempDir Path directory;

  /** A point of the histogram. */
  private record Point(
      Map<String, Object> attributes,
      long count,
      double sum,
      List<?> bounds,
      String temporality,
      List<Map<?, ?>> exemplars) {}

  static Stream<String> versions() {
    return Stream.concat(Stream.of("none"), ProgramRun.openTelemetryVersions().stream());
  }

  @ParameterizedTest
  @MethodSource("versions")
  void calls_areAHistogramWhoseExemplarsNameTheirSpans(String version) throws Exception {
    ProgramRun program = measured(PlainWorker.class);
    if (!version.equals("none")) {
      program.openTelemetry(version, false);
    }
    Result result = program.run().isClean();
    List<Point> points = points(directory.resolve("output/otlp/metrics/metrics.jsonl"));
    assertThat(points).hasSize(2).allMatch(point -> point.temporality.equals("2"));
    for (Point point : points) {
      boolean failed = point.attributes.containsValue(FAIL);
      assertThat(point.attributes)
          .isEqualTo(
              failed
                  ? Map.of(
                      "code.function.name", FAIL, "error.type", "java.lang.IllegalStateException")
                  : Map.of("code.function.name", TRAIN));
      assertThat(point.count).isEqualTo(1);
      Span span = result.span(failed ? "worker.fail" : "worker.train");
      assertThat(point.sum).isEqualTo((span.endEpochNanos() - span.startEpochNanos()) / 1e9);
      assertThat(point.exemplars).hasSize(1);
      assertThat(point.exemplars.get(0).get("traceId")).isEqualTo(span.traceId());
      assertThat(point.exemplars.get(0).get("spanId")).isEqualTo(span.spanId());
      if (!version.equals(System.getProperty("opentelemetry.oldest"))) {
        assertThat(point.bounds).hasSize(14);
      }
    }
  }

  @Test
  void report_isOfTheSameProcessAndRunAsItsSpans() throws Exception {
    Result result = measured(PlainWorker.class).run().isClean();
    Path file = directory.resolve("output/otlp/metrics/metrics.jsonl");
    Map<?, ?> metrics =
        FileSpans.all(SpanEvents.parse(Files.readString(file)), "resourceMetrics").get(0);
    assertThat(FileSpans.attributes((Map<?, ?>) metrics.get("resource")))
        .containsKey("roll.run_id")
        .isEqualTo(new FileSpans(result).resource());
  }

  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void endpoint_takesThem(String protocol) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      measured(PlainWorker.class)
          .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
          .environment(
              "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.port(protocol))
          .run()
          .isClean();
      assertThat(points(elsewhere.resolve("metrics/metrics.jsonl"))).hasSize(2);
    }
    assertThat(directory.resolve("output/otlp/metrics")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "not set",
      value = {
        "not set, ''",
        "none, ''",
        "prometheus, 'OTEL_METRICS_EXPORTER: the agent supports only otlp and none, not [prometheus]'",
      })
  void withoutOtlp_nothingIsMeasuredNorLoaded(String exporter, String said) throws Exception {
    ProgramRun program =
        ProgramRun.of(directory, PlainWorker.class)
            .jvmOptions("-Xlog:class+load:file=" + directory.resolve("loaded.txt"));
    if (exporter != null) {
      program.environment("OTEL_METRICS_EXPORTER", exporter);
    }
    Result result = program.run();
    if (said.isEmpty()) {
      result.isClean();
    } else {
      result.isCleanBut(said);
    }
    assertThat(directory.resolve("output/otlp/metrics")).doesNotExist();
    try (Stream<String> loaded = Files.lines(directory.resolve("loaded.txt"))) {
      assertThat(loaded.filter(line -> line.contains("rollotel")))
          .anyMatch(line -> line.contains("span.WorkerCall "))
          .noneMatch(line -> line.contains("span.CallDurations"))
          .noneMatch(line -> line.contains("span.WorkerCall$Measured"));
    }
  }

  /** Each report holds what is new, and together they hold every call once. */
  @Test
  void delta_addsUpToAllCalls() throws Exception {
    long made;
    Path file = directory.resolve("output/otlp/metrics/metrics.jsonl");
    try (LiveProgram worker =
        measured(SteadyWorker.class, "2000")
            .environment("OTEL_METRIC_EXPORT_INTERVAL", "100")
            .environment("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta")
            .start()) {
      worker.await("= ready");
      Patience.until(
          () -> "three reports: " + worker.err(),
          worker.handle(),
          () -> Files.exists(file) && Files.readAllLines(file).size() > 2);
      made = Long.parseLong(worker.ask("stop"));
      assertThat(worker.end()).isEmpty();
    }
    List<Point> points = points(file);
    assertThat(points)
        .hasSizeGreaterThan(2)
        .allMatch(point -> point.temporality.equals("1") && point.count < made);
    assertThat(points.stream().mapToLong(Point::count).sum()).isEqualTo(made);
  }

  @Test
  void callsThatAreNotSampled_areCountedToo() throws Exception {
    measured(SteadyWorker.class, "1000", "burst")
        .environment("OTEL_TRACES_SAMPLER", "parentbased_always_off")
        .run()
        .isCleanBut("1,000 sampled out");
    assertThat(points(directory.resolve("output/otlp/metrics/metrics.jsonl")))
        .singleElement()
        .satisfies(
            point -> {
              assertThat(point.count).isEqualTo(1_000);
              assertThat(point.exemplars).isEmpty();
            });
  }

  @Test
  void applicationsOwnSdk_countsTheCallsThatGoThroughIt() throws Exception {
    Result result =
        measured(OwnMetersWorker.class)
            .openTelemetry(System.getProperty("opentelemetry.newest"), true)
            .run()
            .isClean();
    assertThat(result.lines()).containsExactly("roll.worker.call.duration 1");
    assertThat(points(directory.resolve("output/otlp/metrics/metrics.jsonl")))
        .singleElement()
        .satisfies(point -> assertThat(point.count).isEqualTo(1));
  }

  @Tag("engines")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void otelcol_takesThem(String protocol) throws Exception {
    FileOtelcol otelcol =
        FileOtelcol.start(OtelcolDriverIT.otelcol(), protocol, directory.resolve("otelcol"));
    try (otelcol) {
      measured(PlainWorker.class)
          .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
          .environment("OTEL_EXPORTER_OTLP_ENDPOINT", otelcol.endpoint())
          .run()
          .isClean();
    }
    assertThat(points(otelcol.metrics())).hasSize(2).allMatch(point -> point.exemplars.size() == 1);
  }

  /** Which has the time to connect before it ends, on a busy machine as well. */
  private ProgramRun measured(Class<?> program, String... arguments) {
    return ProgramRun.of(directory, program, arguments)
        .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
        .environment("OTEL_METRICS_EXPORTER", "otlp");
  }

  /** The points of all reports in a file, which holds no other metric. */
  private static List<Point> points(Path file) throws IOException {
    List<Point> points = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      for (Map<?, ?> metric : FileSpans.all(SpanEvents.parse(line), "metrics")) {
        assertThat(metric.get("name")).isEqualTo("roll.worker.call.duration");
        assertThat(metric.get("unit")).isEqualTo("s");
        Map<?, ?> histogram = (Map<?, ?>) metric.get("histogram");
        for (Map<?, ?> point : FileSpans.all(histogram, "dataPoints")) {
          points.add(
              new Point(
                  FileSpans.attributes(point),
                  Long.parseLong(String.valueOf(point.get("count"))),
                  Double.parseDouble(String.valueOf(point.get("sum"))),
                  (List<?>) point.get("explicitBounds"),
                  String.valueOf(histogram.get("aggregationTemporality")),
                  FileSpans.all(point, "exemplars")));
        }
      }
    }
    return points;
  }
}
