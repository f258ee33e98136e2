package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The report on steps and traces that overlap. */
class OverlapReportTest {

  private final Planted planted = new Planted().inUnitsOf(1_000_000);

  /** Twenty steps of 1.2 s, one begun each 0.6 s. */
  private void steps(String name) {
    for (int i = 0; i < 20; i++) {
      long root = planted.span(1 + i, 0, name, "driver", 600 * i, 600 * i + 1200);
      planted.span(1 + i, root, "rollout", "w0", 600 * i, 600 * i + 600);
      planted.span(1 + i, root, "train", "w1", 600 * i + 600, 600 * i + 1200);
    }
  }

  private ReportContents contents() {
    return PlantedContents.of(planted);
  }

  private String text() {
    StringWriter text = new StringWriter();
    new SummaryText(contents(), new ReportWriter(text)).print();
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private String json() {
    StringWriter json = new StringWriter();
    ReportJson.write(contents(), null, new TraceUrlTemplate(null), new PrintWriter(json));
    return json.toString();
  }

  @Test
  void overlappingSteps_areSaidWhereTheirSumStands() {
    steps("pipeline_step");
    assertThat(text())
        .contains(
            """
            Where is the time spent? 20 steps, 24.0 s together, median 1.20 s, 95.24 a minute:
              steps overlap, up to 2 at once: they took 12.6 s from the first to the last
                the critical path and idle times are those of the run
                50%  12.0 s    rollout
            """)
        .contains(
            """
            What is the critical path? Time on the critical path of the run, by span:
                52%  6.60 s    rollout
                48%  6.00 s    train
            """)
        .contains("2 workers were idle for 4.8% of step time");
    assertThat(json())
        .contains(
            "\"stepWallNanos\":24000000000,",
            "\"stepsPerMinute\":95.23809523809524,\"stepOverlap\":{\"extentNanos\":12600000000,"
                + "\"unionNanos\":12600000000,\"overlappedNanos\":11400000000,\"mostAtOnce\":2}",
            "\"criticalPath\":{\"totalNanos\":12600000000,\"ofRun\":true,\"betweenStepsNanos\":0,");
  }

  @Test
  void timeBetweenSteps_hasARowOfItsOwn() {
    planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(2, 0, "pipeline_step", "driver", 50, 110);
    planted.span(3, 0, "pipeline_step", "driver", 150, 200);
    assertThat(text()).contains("    20%  40.0 ms   between one step and the next\n");
  }

  @Test
  void stepsInOrder_haveTheirRateAndNoWordMore() {
    planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(2, 0, "pipeline_step", "driver", 100, 200);
    assertThat(text())
        .contains("2 steps, 200 ms together, median 100 ms, 600.00 a minute:\n   100%")
        .contains("Time on the critical path of the steps");
    assertThat(json())
        .contains("\"stepsPerMinute\":600.0,\"steps\":[")
        .doesNotContain("verlap\":", "ofRun", "betweenSteps");
  }

  @Test
  void traces_areSaidToRunAtOnceWithTheirSum() {
    steps("GET /x");
    assertThat(text())
        .contains("? 20 traces, 24.0 s in all, up to 2 at once, median 1.20 s:\n    50%")
        .contains("Time on the critical path of the traces");
    assertThat(json()).doesNotContain("stepsPerMinute", "stepOverlap");
  }

  @Test
  void thinnedOutSteps_haveAPathEachAndThatIsSaid() {
    planted.standingFor(2);
    steps("pipeline_step");
    assertThat(text())
        .contains("40 steps, 48.0 s together")
        .contains(
            "    traces were sampled: the critical path is the sum of the paths of all steps\n");
  }
}
