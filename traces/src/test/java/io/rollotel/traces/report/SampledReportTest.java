package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of which not all traces were taken: what each number is of. */
class SampledReportTest {

  private final Planted planted = new Planted().inUnitsOf(1_000_000);

  /** Ten steps with a call to two workers each, of which one failed. */
  private ReportContents contents(boolean areSteps, boolean isFailed) {
    for (int step = 0; step < 10; step++) {
      long at = step * 1000L;
      String name = areSteps ? "pipeline_step" : "GET /";
      long root = planted.span(step + 1, 0, name, "driver", at, at + 100);
      planted.span(step + 1, root, "play", "w0", at + 10, at + 90);
      Object[] failure = isFailed ? new Object[] {"failure", "full"} : new Object[] {};
      planted.span(step + 1, root, "play", "w1", at + 10, at + 80, failure);
    }
    return PlantedContents.of(planted);
  }

  private static String text(ReportContents contents) {
    StringWriter text = new StringWriter();
    ReportWriter writer = new ReportWriter(text);
    new SummaryText(contents, writer).print();
    new ReportText(contents, writer).print();
    writer.flush();
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void processes_areSaidToBeOfTheTracesThatWereTaken(boolean areSteps) {
    planted.standingFor(4);
    assertThat(text(contents(areSteps, true)))
        .contains(
            "Processes in the 10 traces that were taken; their shares of the path are those of all"
                + " traces:\n  service ")
        .containsPattern("\n  w  +w1  +node  +1  +10  +700 ms ")
        .containsPattern("\n  play  +w w1 \\(rank 1\\)  +40  +70.0 ms ");
  }

  @Test
  void processesOfAllTraces_haveNoTitle() {
    assertThat(text(contents(true, true)))
        .doesNotContain("taken")
        .contains("30 spans, 3 processes, 10 errors\n");
  }

  /** What was read is in one line, what it stands for in another. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void errorsOfAllTraces_areNotBesideTheSpansThatWereRead(boolean isFailed) {
    planted.standingFor(4);
    String text = text(contents(true, isFailed)).replaceAll("\\s+", " ");
    assertThat(text)
        .contains(
            isFailed
                ? " 10 traces, 30 spans, 3 processes sampled: "
                : " 10 traces, 30 spans, 3 processes, 0 errors sampled: ")
        .contains(
            "totals are estimates for all of them"
                + (isFailed ? ", also 40 errors Where" : " Where"));
  }

  @Test
  void listOfRuns_hasSpansErrorsAndStepsOfAllTraces() {
    planted.standingFor(4);
    RunsReport report = RunsReport.of(List.of(contents(true, true)));
    StringWriter text = new StringWriter();
    report.print(new ReportWriter(text));
    assertThat(text.toString()).containsPattern("s  +3  +120  +40  +40  +100 ms");
    StringWriter json = new StringWriter();
    report.writeJson(new PrintWriter(json));
    List<?> runs = (List<?>) ((Map<?, ?>) Json.parse(json.toString())).get("runs");
    assertThat(runs.get(0).toString()).contains("spans=120, errors=40, errorsBegun=40, steps=40");
  }
}
