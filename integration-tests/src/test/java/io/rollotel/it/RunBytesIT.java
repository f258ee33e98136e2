package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that would write far more than {@code ROLL_OTEL_RUN_BYTES} allows. */
class RunBytesIT {

  private static final int JOBS = 50_000;
  private static final int SPANS_OF_A_JOB = 21;
  private static final Pattern COUNTS =
      Pattern.compile(
          "([\\d,]+) spans exported, ([\\d,]+) dropped(?:, ([\\d,]+) kept in its own file)?");

  private @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"otlp", "file"})
  void manyTraces_areThinnedOutWholeAndCountForAll(String exporter) throws Exception {
    long limitBytes = 64 << 20;
    Result result = loud("each", exporter, "64m").run();

    assertThat(result.out()).isEqualTo(loud("each", exporter, "64m").withoutAgent().run().out());
    assertThat(result.exitCode()).isZero();
    assertThat(result.err().lines().filter(line -> line.contains("64.0 MiB")))
        .hasSize(1)
        .allMatch(line -> line.contains("ROLL_OTEL_RUN_BYTES"))
        .allMatch(line -> line.matches(".*worker\\.parse makes 9\\d % .* each: do not trace it"));
    assertThat(result.err())
        .contains(" 0 dropped")
        .containsPattern("[\\d,]+ traces thinned out \\(ROLL_OTEL_RUN_BYTES\\)");
    assertThat(writtenBytes()).isBetween(limitBytes / 2, limitBytes);

    Map<String, List<Span>> traces = new HashMap<>();
    new TracesReader()
        .read(
            output(),
            span -> traces.computeIfAbsent(span.traceId(), none -> new ArrayList<>()).add(span));
    assertThat(traces.values())
        .allSatisfy(
            spans -> {
              assertThat(spans).hasSize(SPANS_OF_A_JOB);
              assertThat(spans).extracting(Span::weight).containsOnly(spans.get(0).weight());
            });
    RunReport report = RunReport.read(List.of(output()), ReportOptions.latestRun());
    ReportContents.Header header = report.contents().header();
    assertThat(header.traces()).isLessThan(JOBS * 3 / 4);
    assertThat(header.standsFor()).isNotNull();
    assertThat((double) header.standsFor().traces()).isCloseTo(JOBS, within(0.1 * JOBS));
    assertThat(header.standsFor().spans()).isEqualTo(SPANS_OF_A_JOB * header.standsFor().traces());
    long parse =
        report.contents().names().stream()
            .filter(name -> name.name().text().equals("worker.parse"))
            .mapToLong(ReportContents.NameRow::count)
            .sum();
    assertThat(parse).isEqualTo((SPANS_OF_A_JOB - 2) * header.standsFor().traces());
  }

  @Tag("campaign")
  @Test
  void oneTrace_endsAtTheLimitAndEachSpanIsCounted() throws Exception {
    Result result = loud("one", "otlp", "16m").run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo(loud("one", "otlp", "16m").withoutAgent().run().out());
    assertThat(result.err().lines().filter(line -> line.contains("counted as dropped"))).hasSize(1);
    assertThat(result.err()).contains("worker.parse makes 9");
    assertThat(writtenBytes()).isBetween(8L << 20, 16L << 20);
    Matcher counts = COUNTS.matcher(result.err());
    assertThat(counts.find()).as(result.err()).isTrue();
    long found = new TracesReader().read(output(), span -> {}).spans();
    assertThat(number(counts.group(1)) + number(counts.group(2)) + number(counts.group(3)))
        .isEqualTo(1L + JOBS * SPANS_OF_A_JOB);
    ReportContents report = RunReport.read(List.of(output()), ReportOptions.latestRun()).contents();
    assertThat(report.header().spans()).isEqualTo(found);
    assertThat(found + report.open().dropped())
        .as("those that the recorder still had are found")
        .isEqualTo(1L + JOBS * SPANS_OF_A_JOB);
    assertThat(report.open().dropped()).isBetween(1L, number(counts.group(2)) - 1);
  }

  @Test
  void noLimit_takesAll() throws Exception {
    int jobs = 2_000;
    Result result = loud("each", jobs, "file", "0").run();
    assertThat(result.err()).doesNotContain("thinned out").contains(" 0 dropped");
    assertThat(new TracesReader().read(output(), span -> {}).spans())
        .isEqualTo((long) jobs * SPANS_OF_A_JOB);
  }

  @Test
  void tracesThatARatioTakes_countForAll() throws Exception {
    int jobs = 10_000;
    Result result =
        loud("each", jobs, "file", "0")
            .environment("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
            .environment("OTEL_TRACES_SAMPLER_ARG", "0.1")
            .run();
    assertThat(result.err()).contains(" 0 dropped").doesNotContain("thinned out");
    ReportContents.Header header =
        RunReport.read(List.of(output()), ReportOptions.latestRun()).contents().header();
    assertThat(header.traces()).isBetween(800L, 1_200L);
    assertThat(header.standsFor()).isNotNull();
    assertThat(header.standsFor().traces()).isEqualTo(10 * header.traces());
    assertThat(header.standsFor().spans()).isEqualTo(SPANS_OF_A_JOB * 10 * header.traces());
  }

  private ProgramRun loud(String traces, String exporter, String limit) {
    return loud(traces, JOBS, exporter, limit);
  }

  private ProgramRun loud(String traces, int jobs, String exporter, String limit) {
    return ProgramRun.of(directory, LoudWorker.class, traces, Integer.toString(jobs))
        .environment("ROLL_OTEL_RUN_BYTES", limit)
        .environment("ROLL_OTEL_EXPORTER", exporter)
        .environment("ROLL_OTEL_EXIT_TIMEOUT", "60")
        .environment("ROLL_OTEL_LOG", "info");
  }

  private Path output() {
    return directory.resolve("output/otlp");
  }

  private long writtenBytes() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(output().resolve("traces"))) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits.replace(",", ""));
  }
}
