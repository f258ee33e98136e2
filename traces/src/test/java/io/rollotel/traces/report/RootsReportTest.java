package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Runs without steps: what the requests of services say, by their roots' names. */
class RootsReportTest {

  private static final long MS = 1_000_000;

  private final Planted planted = new Planted().inUnitsOf(MS);

  private ReportContents contents() {
    return PlantedContents.of(planted);
  }

  /**
   * In ten seconds a hundred requests, the i-th of which takes i ms; of each the last half is the
   * store's, of which a note goes on for 5 more; every tenth fails. And ten ticks of 1 ms.
   */
  private void service() {
    for (int i = 1; i <= 100; i++) {
      long at = 100 * (i - 1);
      long root =
          i % 10 == 0
              ? planted.span(i, 0, "GET /x", "web@a", at, at + i, "failure", "500")
              : planted.span(i, 0, "GET /x", "web@a", at, at + i);
      planted.span(i, root, "query", "store@b", at + (i + 1) / 2, at + i);
    }
    for (int i = 1; i <= 10; i++) {
      planted.span(1000 + i, 0, "tick", "web@a", 1000 * i - 1, 1000 * i);
    }
  }

  @Test
  void requests_haveTheirNumbersByTheNameOfTheRoot() {
    service();
    ReportContents contents = contents();
    assertThat(contents.roots())
        .extracting(
            root -> root.name().text(),
            ReportContents.RootRow::count,
            ReportContents.RootRow::perSecond,
            ReportContents.RootRow::errorShare,
            root -> root.p50Nanos() / MS,
            root -> root.p95Nanos() / MS,
            root -> root.p99Nanos() / MS,
            root -> root.maxNanos() / MS)
        .containsExactly(
            tuple("GET /x", 100L, 10.0, 0.1, 50L, 95L, 99L, 100L),
            tuple("tick", 10L, 1.0, 0.0, 1L, 1L, 1L, 1L));
    ReportContents.RootRow get = contents.roots().get(0);
    assertThat(get.services())
        .extracting(
            ReportContents.ServiceRow::service,
            service -> service.selfNanos() / MS,
            service -> service.pathNanos() / MS)
        .containsExactly(tuple("web", 2550L, 2550L), tuple("store", 2500L, 2500L));
    assertThat(get.services().get(0).selfShare()).isEqualTo(2550.0 / 5050, within(1e-12));
    assertThat(get.services().get(1).pathShare()).isEqualTo(2500.0 / 5050, within(1e-12));
    assertThat(contents.workers())
        .extracting(row -> row.worker().workNanos() / MS)
        .as("the roots' time is work")
        .containsExactly(2500L, 5059L);
  }

  @Test
  void textOfServices_knowsNoStepsDriversAndBubbles() {
    service();
    assertThat(text(contents()))
        .contains("Time on the critical path of the traces")
        .contains("Which trace or process is the bottleneck?")
        .contains(
            """
            How fast are the requests, and how many fail? 110 traces, 11.00 a second, 10 failed (9.1%):
              traces of  count  a second  errors      p50      p95      p99      max
              GET /x       100     10.00     10%  50.0 ms  95.0 ms  99.0 ms   100 ms
              tick          10      1.00      0%  1.00 ms  1.00 ms  1.00 ms  1.00 ms
            """)
        .contains(
            """

              in traces of  service     self  share  on path  share
              GET /x        web       2.55 s    50%   2.55 s    50%
              GET /x        store     2.50 s    50%   2.50 s    50%
              tick          web      10.0 ms   100%  10.0 ms   100%

              from  to     calls  a second  errors      p50      p95      p99
              web   store    100     10.00      0%  25.0 ms  47.0 ms  49.0 ms

              service  instance  host  rank  spans    busy  on path
            """)
        .doesNotContainPattern("(?i)\\bsteps?\\b|driver|bubble|idle");
  }

  @Test
  void json_hasTheSame() {
    service();
    StringWriter json = new StringWriter();
    ReportJson.write(contents(), null, new TraceUrlTemplate(null), new PrintWriter(json));
    assertThat(json.toString())
        .contains(
            "\"roots\":[{\"name\":\"GET /x\",\"count\":100,\"perSecond\":10.0,\"errors\":10,"
                + "\"errorShare\":0.1,\"totalNanos\":5050000000,\"p50Nanos\":50000000,",
            "\"services\":[{\"service\":\"web\",\"selfNanos\":2550000000,\"selfShare\":0.50",
            "\"workNanos\":2500000000,");
  }

  @Test
  void runWithSteps_hasNoRoots() {
    planted.span(1, 0, "pipeline_step", "driver@a", 0, 9);
    planted.span(2, 0, "GET /x", "web@a", 0, 9);
    assertThat(contents().roots()).isEmpty();
  }

  @Test
  void tasksOfRay_areWorkAndNotIdle() {
    for (int i = 1; i <= 10; i++) {
      long call =
          planted.span(
              i,
              0,
              "f ray.remote",
              "driver@a",
              1000L * i,
              1000L * i + 1,
              "kind",
              4,
              "ray.task_id",
              "t" + i);
      planted.span(
          i, call, "f ray.remote_worker", "w1@b", 1000L * i + 2, 1000L * i + 900, "kind", 5);
    }
    ReportContents contents = contents();
    assertThat(text(contents))
        .containsPattern("f +w +8.98 s +100% +8.98 s +100%")
        .containsPattern("\n +f +10 +1.01 +0% +900 ms +900 ms +900 ms +900 ms\n")
        .contains("\n  no steps: each call on Ray is a trace of its own; docs/ray.md says how")
        .doesNotContainPattern("(?i)\\bstep\\b|driver stood|bubble|idle");
    assertThat(contents.workers().get(1).worker().workNanos()).isEqualTo(8980 * MS);
  }

  @Test
  void loopOfAWorkerMethodWithoutSteps_namesTheOptionThatMakesThem() {
    for (int i = 1; i <= 3; i++) {
      long step = planted.span(i, 0, "worker.step", "driver@a", 1000L * i, 1000L * i + 90);
      planted.span(i, step, "worker.train", "w1@b", 1000L * i + 2, 1000L * i + 80);
    }
    assertThat(text(contents()))
        .contains(
            "  no steps: no span has the name pipeline_step, or that of --step; try --step=worker.step\n");
  }

  @Test
  void slowestTrace_isComparedWithTracesOfItsOwnRoot() {
    for (int i = 1; i <= 9; i++) {
      planted.span(i, 0, "worker.train", "w1@b", 1000L * i, 1000L * i + 10);
    }
    for (int i = 10; i <= 14; i++) {
      planted.span(i, 0, "worker.step", "driver@a", 1000L * i, 1000L * i + (i == 12 ? 200 : 100));
    }
    assertThat(text(contents()))
        .containsPattern(
            "took longest: 200 ms, 2\\.0\\s+times\\s+the\\s+median\\s+of\\s+worker\\.step\n");
  }

  @Test
  void onlyTrace_hasNothingToCompareWith() {
    planted.span(1, 0, "worker.step", "driver@a", 0, 90);
    assertThat(text(contents()))
        .contains("  nothing to compare: there is only one trace, which took 90.0 ms\n")
        .doesNotContain("--step=");
  }

  @Test
  void queueWaits_standBetweenLongerAndShorterNamesAndAmongTheProcesses() {
    for (int i = 1; i <= 3; i++) {
      long at = 1000L * i;
      long step = planted.span(i, 0, "pipeline_step", "driver@a", at, at + 110);
      planted.span(i, step, "train", "w1@b", at + 30, at + 100, "roll.queue_ns", 30 * 1_000_000L);
    }
    assertThat(text(contents()))
        .containsPattern(
            "(?s)train\n +27% +90.0 ms +queue waits, most: train; 30.0 ms of it while workers started\n +9.1% +30.0 ms +pipeline_step\n"
                + ".*by process:.*27% +90.0 ms +no process: queue waits\n");
  }

  private static String text(ReportContents contents) {
    StringWriter text = new StringWriter();
    ReportWriter out = new ReportWriter(text);
    new SummaryText(contents, out).print();
    new ReportText(contents, out).print();
    return text.toString().replace(System.lineSeparator(), "\n");
  }
}
