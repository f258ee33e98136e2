package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text and the JSON about hosts whose clocks differ. */
class ClocksReportTest {

  private static final long MS = 1_000_000;

  private final Planted planted = new Planted().inUnitsOf(MS);

  /** Three steps of a second, each with a call of 790 to another host, which is so far ahead. */
  private void calls(long... aheadMillis) {
    for (int step = 0; step < aheadMillis.length; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver@head", at, at + 1000);
      long phase = planted.span(step + 1, root, "rollout", "driver@head", at + 100, at + 900);
      long there = at + aheadMillis[step];
      long queue = (5 + aheadMillis[step]) * MS;
      planted.span(1 + step, phase, "generate", "w1@head", at + 105, at + 500);
      planted.span(
          1 + step, phase, "generate", "w2@gpu", there + 105, there + 895, "roll.queue_ns", queue);
    }
  }

  private RunReport report(ReportOptions options) {
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    return RunReport.ofNewest(List.of(), options, spans, new OpenSpans(List.of()));
  }

  private String text(ReportOptions options) {
    StringWriter text = new StringWriter();
    report(options).print(new ReportWriter(text));
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private Map<?, ?> json(ReportOptions options) {
    StringWriter text = new StringWriter();
    report(options).writeJson(new PrintWriter(text));
    return (Map<?, ?>) Json.parse(text.toString());
  }

  private static Map<?, ?> first(Map<?, ?> json, String key) {
    return (Map<?, ?>) ((List<?>) json.get(key)).get(0);
  }

  @Test
  void correctedHost_isSaidAtTheTopAndInTheTableOfClocks() {
    calls(3000, 3000, 3000);
    assertThat(text(ReportOptions.latestRun()))
        .contains("  clocks: gpu was 3.00 s ahead of head (±5.00 ms); its times are corrected\n")
        .contains("w2 (rank 2) was last in 3 of 3 fan-outs of generate, always")
        .containsPattern("\\n +generate +3 +15.0 ms +")
        .contains("clock of  less that of  at least  at most  calls  outside  corrected")
        .contains("head      gpu            -3.01 s  -3.00 s      3        3    -3.00 s")
        .doesNotContain("uncertain")
        .doesNotContain("?:");
  }

  @Test
  void hostBehind_isSaidToBeBehind() {
    calls(-3000, -3000);
    assertThat(text(ReportOptions.latestRun()))
        .contains("  clocks: gpu was 3.00 s behind head (±5.00 ms); its times are corrected\n");
  }

  @Test
  void timesAsRecorded_areSaidToBeUncertainWhereTheyStand() {
    calls(3000, 3000, 3000);
    String text = text(ReportOptions.latestRun().withClockCorrection(false));
    assertThat(text)
        .contains("  clocks: gpu is about 3.00 s ahead of head (±5.00 ms); no time is corrected\n")
        .contains("generate              3  9.02 s ?")
        .contains("  ?: the clock of gpu does not fit the others'\n");
    assertThat(text.split("uncertain: the clock of gpu does not fit the others'")).hasSize(3);
  }

  @Test
  void contradiction_isSaidWhereNumbersDependOnIt() {
    calls(0, 3000, 0);
    String text = text(ReportOptions.latestRun());
    assertThat(text)
        .contains(
            "  clocks: the calls between gpu and head contradict each other; their clocks cannot be"
                + " compared\n");
    String path = text.substring(text.indexOf("What is the critical path?"));
    assertThat(path.substring(0, path.indexOf("bottleneck?")))
        .contains("  uncertain: the clock of gpu does not fit the others'\n");
    assertThat(path.substring(path.indexOf("bottleneck?")))
        .contains("  uncertain: the clock of gpu does not fit the others'\n")
        .contains(" ?  ");
  }

  @Test
  void workThatNobodyMayHaveWaitedFor_isNoReasonToCorrect() {
    long root = planted.span(1, 0, "pipeline_step", "driver@head", 0, 1000);
    planted.span(1, root, "save", "w2@gpu", 900, 1400);
    assertThat(text(ReportOptions.latestRun()))
        .contains(
            "  clocks: gpu is 400 ms to 900 ms ahead of head, or nobody waited for its work; no"
                + " time is corrected\n");
  }

  @ParameterizedTest
  @CsvSource({"true, true, -3000000000", "false, false, 0"})
  void json_hasTheBoundsAsMeasuredAndWhatWasCorrected(
      boolean wanted, boolean isCorrected, long correctionNanos) {
    calls(3000, 3000, 3000);
    Map<?, ?> json = json(ReportOptions.latestRun().withClockCorrection(wanted));
    Map<?, ?> clock = first(json, "clocks");
    assertThat(clock.get("host")).isEqualTo("head");
    assertThat(clock.get("aheadOf")).isEqualTo("gpu");
    assertThat(clock.get("atLeastNanos")).hasToString("-3005000000");
    assertThat(clock.get("atMostNanos")).hasToString("-2995000000");
    assertThat(clock.get("skewed")).isEqualTo(true);
    assertThat(clock.get("corrected")).isEqualTo(isCorrected);
    assertThat(clock.get("correctionNanos")).hasToString(Long.toString(correctionNanos));
    List<?> corrections = (List<?>) json.get("clockCorrections");
    if (isCorrected) {
      Map<?, ?> correction = (Map<?, ?>) corrections.get(0);
      assertThat(correction.get("host")).isEqualTo("gpu");
      assertThat(correction.get("aheadOf")).isEqualTo("head");
      assertThat(correction.get("correctionNanos")).hasToString("3000000000");
      assertThat(correction.get("uncertaintyNanos")).hasToString("5000000");
    } else {
      assertThat(corrections).isEmpty();
    }
    String marks =
        ((Map<?, ?>) json.get("criticalPath")).get("clocksDisagree")
            + ", "
            + first(json, "queues").get("clocksDisagree");
    for (Object row : (List<?>) json.get("workers")) {
      marks += ", " + ((Map<?, ?>) row).get("clocksDisagree");
    }
    assertThat(marks)
        .isEqualTo(isCorrected ? "null, null, null, null, null" : "true, true, null, null, true");
  }

  @Test
  void traceOfACorrectedHost_saysSo() {
    calls(3000);
    StringWriter text = new StringWriter();
    assertThat(
            report(ReportOptions.latestRun())
                .printTrace(String.format("%032x", 1), new ReportWriter(text)))
        .isTrue();
    assertThat(text.toString())
        .contains("times of gpu are corrected: its clock was 3.00 s ahead")
        .contains("+105 ms");
  }

  @Test
  void anotherRunOfTheSameFiles_isCorrectedOnce() {
    calls(3000, 3000);
    RunReport report = report(ReportOptions.latestRun());
    assertThat(report.ofRun("planted").contents().queues()).isEqualTo(report.contents().queues());
    assertThat(report.ofRun("planted").contents().clocks()).isEqualTo(report.contents().clocks());
  }
}
