package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports on runs of which no span has ended. */
class NoneEndedTest {

  private static final String SAID = " open in " + Path.of("/out") + ", and none has ended yet:\n";

  /** A driver with a worker that died, and an older run. */
  private static OpenSpans open() {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    Planted other = new Planted("other").inUnitsOf(1_000_000);
    return new OpenSpans(
        List.of(
            planted.recording(
                "w1@b",
                false,
                5000,
                planted.open(1, 9, 8, "rlm.step", 7),
                planted.open(1, 8, 7, "rlm.run", 6)),
            planted.recording("driver@a", true, 9000, planted.open(1, 7, 0, "dispatch", 3)),
            other.recording("old@a", false, 2, other.open(2, 9, 0, "before", 1))));
  }

  private static RunReport report(@Nullable String runId) {
    ReportOptions options = ReportOptions.latestRun().withRun(runId);
    return RunReport.ofNewest(List.of(Path.of("/out")), options, new Spans(), open());
  }

  private static String text(RunReport report) {
    StringWriter text = new StringWriter();
    report.print(new ReportWriter(text));
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private static Map<?, ?> json(RunReport report) {
    StringWriter text = new StringWriter();
    report.writeJson(new PrintWriter(text));
    return (Map<?, ?>) Json.parse(text.toString());
  }

  /** Persian has digits of its own. */
  @Test
  void digits_areTheSameInEveryLanguage() {
    String said = text(report(null)) + ofOpen();
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR"));
    try {
      assertThat(text(report(null)) + ofOpen()).isEqualTo(said);
    } finally {
      Locale.setDefault(before);
    }
  }

  /** Both spans of the worker are on thread 1. */
  @Test
  void stackOfAThread_isShownOnceInAProcess() {
    assertThat(ofOpen("at Worker.run").lines().filter(line -> line.endsWith("at Worker.run")))
        .hasSize(3);
  }

  private static String ofOpen(String... stack) {
    StringWriter text = new StringWriter();
    OpenSpansText.Stacks none =
        new OpenSpansText.Stacks() {
          @Override
          public List<String> of(Recording process, OpenSpan span) {
            return List.of(stack);
          }

          @Override
          public List<String> of(Recording process) {
            return List.of();
          }
        };
    new OpenSpansText(open()).print(new PrintWriter(text), none);
    return text.toString();
  }

  @Test
  void openSpansAlone_areNamedWithTheirProcesses() {
    RunReport report = report(null);
    assertThat(report.isEmpty()).isTrue();
    assertThat(report.isOpen()).isTrue();
    assertThat(text(report))
        .startsWith(
            "3 spans are"
                + SAID
                + """
                  1 on driver driver, pid 4711, which is alive
                  2 on w w1 (rank 1), pid 4711, which died; its last sign of life was at"""
                    .indent(2)
                    .stripTrailing())
        .contains("Runs of an agent: 0 of 1 completed")
        .containsPattern("\n  span 00000000  not ended, process died .* 4.99 s  4.99 s, open\n")
        .containsPattern("\n  rlm.step +4.99 s +w w1 ")
        .contains("Other runs there (--run ID shows one):\n  other, started ")
        .doesNotContain("No spans found", "Was the program");
  }

  @Test
  void openSpanOfTheWantedRun_isNamed() {
    assertThat(text(report("other"))).startsWith("1 span is" + SAID + "  1 on old old, ");
  }

  @ParameterizedTest
  @CsvSource({"0, true", "3, false", "9, false"})
  void laterRunThanTheShownOne_isNamedInItsReport(int startedSeconds, boolean isLater) {
    Planted ended = new Planted("ended").inUnitsOf(1_000_000);
    ended.span(
        1, 0, "pipeline_step", "driver@a", 1000 * startedSeconds - 5000, 1000 * startedSeconds);
    Spans spans = new Spans();
    ended.spans().forEach(spans::add);
    ReportOptions latest = ReportOptions.latestRun();
    RunReport report = RunReport.ofNewest(List.of(Path.of("/out")), latest, spans, open());
    assertThat(text(report))
        .startsWith("Run ended, ")
        .contains("  planted, started ")
        .containsPattern("  other, started .*, no span has ended\n");
    assertThat(text(report).contains("  a later run has only open spans: --run planted shows it\n"))
        .isEqualTo(isLater);
    RunReport open =
        RunReport.ofNewest(List.of(Path.of("/out")), latest.withRun("planted"), spans, open());
    assertThat(open.isOpen()).isTrue();
    assertThat(text(open))
        .startsWith("3 spans are" + SAID)
        .containsPattern("  ended, started .*, 1 span\n");
    assertThat((List<?>) json(open).get("runs")).hasSize(3);
  }

  /** Its first call hangs, in a trace of the driver's. */
  @Test
  void workerWithARunIdOfItsOwn_isNoLaterRun() {
    Planted ended = new Planted("ended");
    ended.span(1, 0, "pipeline_step", "driver@a", 0, 10);
    Spans spans = new Spans();
    ended.spans().forEach(spans::add);
    Planted worker = new Planted("own");
    OpenSpans open =
        new OpenSpans(
            List.of(worker.recording("w1@b", true, 90, worker.open(2, 9, 8, "generate", 50))));
    RunReport report =
        RunReport.ofNewest(List.of(Path.of("/out")), ReportOptions.latestRun(), spans, open);
    assertThat(text(report)).startsWith("Run ended, ").doesNotContain("later run", "own, started");
  }

  @Test
  void droppedSpansAlone_areNamed() {
    OpenSpans open = new OpenSpans(List.of(new Planted().dropped("w1@b", 500)));
    RunReport report =
        RunReport.ofNewest(List.of(Path.of("/out")), ReportOptions.latestRun(), new Spans(), open);
    assertThat(text(report))
        .startsWith("No spans found in ")
        .contains("500 spans were dropped")
        .doesNotContain("Was the program");
  }

  @Test
  void wantedRunWithoutOpenSpans_isNotFound() {
    RunReport report = report("none");
    assertThat(report.isOpen()).isFalse();
    assertThat(text(report)).startsWith("No run none in ").contains("  planted, started ");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "name:x")
  void json_hasTheOpenSpans(@Nullable String query) throws Exception {
    ReportOptions options =
        ReportOptions.latestRun().withWhere(query == null ? null : Query.parse(query));
    Map<?, ?> json =
        json(RunReport.ofNewest(List.of(Path.of("/out")), options, new Spans(), open()));
    assertThat(json.get("run")).isEqualTo("planted");
    assertThat(json.get("spans")).hasToString("0");
    assertThat((List<?>) json.get("open")).hasSize(3);
    assertThat((List<?>) json.get("agentRuns")).hasSize(1);
    assertThat((List<?>) json.get("runs")).hasSize(2);
    assertThat(json.containsKey("where")).isEqualTo(query != null);
  }

  @ParameterizedTest
  @CsvSource({"00000000000000000000000000000001, true", "7, false"})
  void traceOfOpenSpans_isListed(String traceId, boolean isThere) {
    StringWriter text = new StringWriter();
    assertThat(report(null).printTrace(traceId, new ReportWriter(text))).isEqualTo(isThere);
    assertThat(text.toString().contains("Not ended: rlm.step for 4.99 s on w w1 (rank 1)"))
        .isEqualTo(isThere);
  }
}
