package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.SpanRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportContentsTest {

  private final Planted planted = new Planted();

  private ReportContents contents(FoundRun... runs) {
    ReadSummary files = new ReadSummary(List.of(), 0, 0, 0, 0, List.of());
    return new ContentsBuilder(planted.analysis().totals(), null)
        .contents(List.of(runs), files, new OpenSpans(List.of()));
  }

  private void steps(String walls) {
    int trace = 0;
    for (String wall : walls.split(" ")) {
      trace++;
      planted.span(
          trace, 0, "pipeline_step", "driver", 1000L * trace, 1000L * trace + Long.parseLong(wall));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "one step,             70,          1,   70",
    "three steps,          10 60 20,    3,   60 20 10",
    "equal steps,          20 30 30 20, 1.5, 30 30 20 20",
    "steps without a time, 0 0,         1,   0 0"
  })
  void steps_areSortedAndTheSlowestIsDividedByTheMedian(
      String situation, String walls, double timesMedian, String slowest) {
    steps(walls);
    ReportContents.StepSummary times = contents().steps();
    assertThat(times.slowestTimesMedian()).as(situation).isEqualTo(timesMedian);
    assertThat(times.slowest().stream().map(step -> Long.toString(step.wallNanos())))
        .as(situation)
        .containsExactly(slowest.split(" "));
  }

  @Test
  void equalSteps_keepTheOrderOfTheirStarts() {
    steps("30 30 30");
    ReportContents contents = contents();
    assertThat(contents.steps().slowest().stream().map(step -> contents.span(step.span())))
        .extracting(SpanRow::startEpochNanos)
        .isSorted();
  }

  @Test
  void manySteps_haveOnlySoManyRowsOfTheSlowest() {
    steps(String.join(" ", Arrays.asList(new String[50]).stream().map(none -> "9").toList()));
    assertThat(contents().steps().slowest()).hasSize(ReportContents.SLOWEST_STEPS);
  }

  @ParameterizedTest
  @CsvSource({
    "the phase has all of it, 100, 1,    0",
    "the phase has a quarter, 25,  0.25, 0.75",
    "the phase has nothing,   0,   -1,   1"
  })
  void phase_hasItsShareAndTheRestIsUnattributed(
      String situation, long nanos, double share, double unattributed) {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(1, step, "train", "driver", 0, nanos);
    ReportContents.StepSummary times = contents().steps();
    assertThat(times.unattributedShare()).as(situation).isEqualTo(unattributed);
    List<Double> expected = share < 0 ? List.of() : List.of(share);
    assertThat(times.phases()).as(situation).extracting("share").isEqualTo(expected);
  }

  @Test
  void stepWithoutATime_makesEveryShareZero() {
    steps("0");
    ReportContents contents = contents();
    assertThat(contents.steps().unattributedShare()).isZero();
    assertThat(contents.workers()).extracting("pathShare").containsExactly(0.0);
  }

  @ParameterizedTest
  @CsvSource({
    "no worker,                 '',    0, 0,    ''",
    "one that always works,     100,   1, 0,    w1",
    "one that works half,       50,    1, 0.5,  w1",
    "the second is the idlest,  75 25, 2, 0.5,  w2",
    "the first of equal ones,   50 50, 2, 0.5,  w1"
  })
  void idleWorkers_areAddedUpAndTheIdlestIsNamed(
      String situation, String busy, int count, double share, String idlest) {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    int worker = 0;
    for (String nanos : busy.split(" ")) {
      worker++;
      if (!nanos.isEmpty()) {
        planted.span(1, step, "work", "w" + worker, 0, Long.parseLong(nanos));
      }
    }
    Workers.Idle idle = contents().idleWorkers();
    if (count == 0) {
      assertThat(idle).as(situation).isNull();
      return;
    }
    assertThat(idle).as(situation).isNotNull();
    assertThat(idle.workers()).isEqualTo(count);
    assertThat(idle.share()).isCloseTo(share, within(1e-12));
    assertThat(idle.idlest().process().instanceId()).isEqualTo(idlest);
  }

  @ParameterizedTest
  @CsvSource({
    "works all the step,         0,   100, 100, 0",
    "works a part of it,         20,  50,  30,  70",
    "works across the step's end, 90, 150, 10,  90"
  })
  void workerInAStep_isBusyOrIdle(
      String situation, long start, long end, long busyNanos, long idleNanos) {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(1, step, "work", "w1", start, end);
    ReportContents contents = contents();
    assertThat(contents.inStep(contents.workers().get(1).worker(), contents.steps().all().get(0)))
        .as(situation)
        .isEqualTo(new ReportContents.StepWorker(busyNanos, idleNanos));
  }

  @Test
  void driverAndWorkerOfAnotherTime_areNotInAStep() {
    planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(2, 0, "work", "w1", 200, 300);
    ReportContents contents = contents();
    for (ReportContents.WorkerRow row : contents.workers()) {
      assertThat(contents.inStep(row.worker(), contents.steps().all().get(0))).isNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "the child's clock is ahead,  40 130,        1, 1, other, node",
    "the child's clock is behind, -40 50,        1, 1, node,  other",
    "equal clocks,                10 90,         0, 0, '',    ''",
    "a clock that was set,        40 130 -40 50, 0, 1, '',    ''"
  })
  void clocks_sayWhichIsAhead(
      String situation, String children, int skewed, int doubtful, String ahead, String behind) {
    long parent = planted.span(1, 0, "send", "driver@node", 0, 100);
    String[] times = children.split(" ");
    for (int i = 0; i < times.length; i += 2) {
      long start = Long.parseLong(times[i]);
      planted.span(1, parent, "receive", "w1@other", start, Long.parseLong(times[i + 1]));
    }
    ReportContents contents = contents();
    List<ClockSkew.Hosts> found = contents.doubtfulClocks();
    List<ClockSkew.Hosts> differ = found.stream().filter(ClockSkew.Hosts::isSkewed).toList();
    assertThat(found).as(situation).hasSize(doubtful);
    assertThat(differ).as(situation).hasSize(skewed);
    for (ClockSkew.Hosts hosts : differ) {
      assertThat(hosts.ahead()).isEqualTo(ahead);
      assertThat(hosts.behind()).isEqualTo(behind);
    }
  }

  @Test
  void otherRuns_areAllButTheReportsOwn() {
    steps("1");
    List<FoundRun> runs = new ArrayList<>();
    for (String id : List.of("newer", "planted", "older")) {
      runs.add(new FoundRun(runs.size(), id, 1, 1, 1, false, List.of()));
    }
    ReportContents contents = contents(runs.toArray(FoundRun[]::new));
    assertThat(contents.runs()).hasSize(3);
    assertThat(contents.otherRuns()).extracting(FoundRun::id).containsExactly("newer", "older");
  }

  @Test
  void failures_haveTheirFirstSpan() {
    planted.span(1, 0, "a", "w1", 0, 5, "failure", "lost");
    planted.span(2, 0, "a", "w2", 10, 15, "failure", "lost");
    planted.span(3, 0, "b", "w1", 20, 25, "failure", "gone");
    assertThat(contents().failures())
        .extracting(
            row -> row.count() + " " + row.reason() + " " + row.first().process().instanceId())
        .containsExactly("2 lost w1", "1 gone w1");
  }

  @Test
  void reasonsThatDifferInNumbers_areShownWithout() {
    planted.span(1, 0, "a", "w1", 0, 5, "failure", "timed out after 30 ms");
    planted.span(2, 0, "a", "w1", 0, 5, "failure", "timed out after 31 ms");
    planted.span(3, 0, "b", "w1", 0, 5, "failure", "port 80");
    assertThat(contents().failures())
        .extracting(row -> row.count() + " " + row.reason() + ", " + row.commonReason())
        .containsExactly("2 timed out after 30 ms, timed out after # ms", "1 port 80, port 80");
  }
}
