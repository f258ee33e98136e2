package io.rollotel.traces.report;

import static io.rollotel.traces.kit.Requests.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs with trouble in their files, clocks and names, and files without a run. */
class UnusualRunTest extends RunReportFixture {

  @Test
  void troubleInTheFiles_isReported() throws Exception {
    byte[] request = Requests.of(List.of(span(1, 1, 0, "a", START, MS)));
    write("traces.jsonl", request);
    write("traces.jsonl", request);
    Files.writeString(
        dir.resolve("traces.jsonl"), "garbage\n{\"resourceSp", StandardOpenOption.APPEND);
    assertThat(report(null))
        .contains(
            """
            All files: 1 duplicate span left out; 1 truncated line and 1 unreadable line skipped
              traces.jsonl, line 3: Unrecognized token 'garbage'""");
  }

  @Test
  void clockThatGoesBackwards_isReportedAndCountedAsZero() throws Exception {
    write("traces.jsonl", Requests.of(List.of(span(1, 1, 0, "a", START, -5))));
    assertThat(report(null))
        .contains("took 0 ns\n")
        .contains("  1 span that ends before the start, counted as 0 ns\n");
  }

  @Test
  void spansWithoutTimes_haveNone() throws Exception {
    write("traces.jsonl", Requests.of(List.of(span(1, 1, 0, "a", 0, 0))));
    assertThat(report(null)).startsWith("Run -, started unknown, took 0 ns\n");
  }

  @Test
  void hostileNames_stayWithinTheirColumns() throws Exception {
    String name = "\u001b]0;title\u0007\n" + "x".repeat(500);
    write(
        "traces.jsonl",
        Requests.of(
            List.of(span(1, 1, 0, name, START, 59 * 60_000 * MS)),
            "service.name",
            name,
            "service.instance.id",
            name,
            "host.name",
            name,
            "process.pid",
            name,
            "roll.rank",
            name,
            "roll.run_id",
            name));
    assertThat(report(null).split("\n"))
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100))
        .allSatisfy(line -> assertThat(line).doesNotContainPattern("\\p{Cntrl}"));
  }

  @Test
  void noSpans_saysWhereItLookedAndWhatToDo() throws Exception {
    RunReport report = read(null);
    assertThat(report.isEmpty()).isTrue();
    assertThat(text(report))
        .startsWith(
            "No spans found in " + dir + ".\nThere is no file *.jsonl, *.jsonl.gz or *.parquet")
        .contains("ROLL_OTEL_ENABLED=1");
    Files.writeString(dir.resolve("empty.jsonl"), "{}\n");
    assertThat(report(null)).contains("Read 1 file, the first: " + dir.resolve("empty.jsonl"));
  }

  @Test
  void filesThatCannotBeRead_areNamedBeforeAnyGuess() throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), "no JSON at all\n{}\n");
    String report = report(null);
    assertThat(report)
        .containsSubsequence("No spans found", "traces.jsonl, line 1: ", "\n\nWas the program");
  }

  @ParameterizedTest
  @CsvSource({
    "1971-03-01T00:00:00Z, 1",
    "2200-01-01T00:00:00Z, 1",
    "2026-11-21T13:57:00Z, 7300000"
  })
  void spanOfAnotherCentury_costsANoticeAndNotTheTimeline(Instant start, long minutes)
      throws Exception {
    long minute = 60_000_000_000L;
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      spans.add(span(1 + i, 1, 0, "pipeline_step", START + i * minute, minute));
    }
    long astray = start.getEpochSecond() * 1_000_000_000;
    spans.add(span(1, 2, 1, "astray", astray, minutes * minute));
    List<Span> older = List.of(span(99, 1, 0, "before", START - 600 * minute, minute));
    write("traces.jsonl", Requests.of(spans, "roll.run_id", "r"));
    write("traces.jsonl", Requests.of(older, "roll.run_id", "older"));
    assertThat(report(null))
        .startsWith("Run r, started 2026-11-21 13:57:02 UTC, took 1h 00m")
        .contains("  1 span is years away from the others, counted as 0 ns\n")
        .doesNotContain("without times");
    ReportContents.Header header = read(null).contents().header();
    assertThat(header.startEpochNanos()).isEqualTo(START);
    assertThat(header.wallNanos()).isEqualTo(60 * minute);
  }

  @Test
  void missingDirectory_isAnException() {
    assertThatThrownBy(
            () -> RunReport.read(List.of(dir.resolve("none")), ReportOptions.latestRun()))
        .isInstanceOf(NoSuchFileException.class);
  }
}
