package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a report names as the bottleneck. */
class BottleneckTextTest {

  private static final long MS = 1_000_000;

  private final Planted planted = new Planted().inUnitsOf(MS);

  private String text() {
    ReportContents contents = PlantedContents.of(planted);
    StringWriter text = new StringWriter();
    new BottleneckText(contents, new ReportWriter(text)).print();
    return text.toString().replaceAll("\\s+", " ");
  }

  /** Ten steps of 1 s, in which the driver also works by itself, and two workers play. */
  private void steps(int worksMillis, int playsMillis, int lagMillis) {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long end = at + worksMillis + playsMillis + lagMillis;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, end);
      long from = at + worksMillis;
      planted.span(step + 1, root, "play", "w0", from, from + playsMillis);
      planted.span(step + 1, root, "play", "w1", from, from + playsMillis + lagMillis);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "450, 550, 0, play takes 55% of the critical path",
    "550, 450, 0, 'pipeline_step\'\'s own work, in no child span, is 55% of the critical path: trace its parts'",
    "450, 250, 300, play takes 55% of the critical path",
    "600, 100, 300, 'pipeline_step\'\'s own work, in no child span, is 60% of the critical path: trace its parts'",
    "200, 300, 500, play takes 80% of the critical path",
  })
  void whatHasMostOfThePath_isNamed(int works, int plays, int lag, String said) {
    steps(works, plays, lag);
    assertThat(text()).contains("bottleneck? " + said + " ");
  }

  @Test
  void processWithMostOfThePath_isNamedIfNoNameHas() {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      for (int part = 0; part < 3; part++) {
        planted.span(
            step + 1,
            root,
            "part" + part,
            part < 2 ? "w0" : "w1",
            at + 300 * part,
            at + 300 * part + 300);
      }
    }
    assertThat(text()).contains("bottleneck? w w0 (rank 0) takes 67% of the critical path ");
  }

  /** Four workers train; w2 is slow in forward, and the others wait for it in allReduce. */
  @ParameterizedTest
  @CsvSource({"600, true", "300, false"})
  void workerThatOthersWaitForInTheirCalls_isNamed(int forwardMillis, boolean isSlow) {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long end = at + forwardMillis + 50;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, end + 10);
      for (int worker = 0; worker < 4; worker++) {
        long call = planted.span(step + 1, root, "train", "w" + worker, at, end + worker % 2);
        long forward = at + (worker == 2 ? forwardMillis : 300 + (step + worker) % 3);
        planted.span(step + 1, call, "forward", "w" + worker, at, forward);
        planted.span(step + 1, call, "allReduce", "w" + worker, forward, end);
      }
    }
    if (isSlow) {
      assertThat(text())
          .contains(" w w2 (rank 2) is slow in forward: that costs 45% of step time ");
    } else {
      assertThat(text()).doesNotContain("is slow");
    }
  }

  /** Calls that are sent at once to so many workers wait for some milliseconds each. */
  @ParameterizedTest
  @CsvSource({"64, 2, false", "64, 20, true", "2, 20, true"})
  void waitsInQueues_areToldIfTheyDelayTheSteps(int workers, int waitMillis, boolean isTold) {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 1000);
      for (int worker = 0; worker < workers; worker++) {
        planted.span(
            step + 1,
            root,
            "play",
            "w" + worker,
            at + waitMillis,
            at + 1000,
            "roll.queue_ns",
            waitMillis * MS);
      }
    }
    assertThat(text().contains("in queues before they worked")).isEqualTo(isTold);
  }

  @Test
  void smallShares_dominateNothing() {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      for (int part = 0; part < 3; part++) {
        planted.span(
            step + 1, root, "part" + part, "w" + part, at + 300 * part, at + 300 * part + 300);
      }
    }
    assertThat(text()).doesNotContain("critical path");
  }

  /** The last worker takes as long as the others, or longer. */
  @ParameterizedTest
  @CsvSource({"400, true", "430, true", "460, false"})
  void stragglerThatIsSentToLast_isNotBlamed(int lastPlaysMillis, boolean isSaid) {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      for (int worker = 0; worker < 3; worker++) {
        long from = at + 100 + 75 * worker;
        long plays = worker == 2 ? lastPlaysMillis : 400;
        planted.span(step + 1, root, "play", "w" + worker, from, from + plays, "roll.queue_ns", 0L);
      }
    }
    String last = "of step time): its calls are sent last, 150 ms after the first";
    assertThat(text()).contains("w w2 (rank 2) was last in 10 of 10 fan-outs of play, always");
    assertThat(text().contains(last)).isEqualTo(isSaid);
  }

  @ParameterizedTest
  @CsvSource({"9, false", "11, true"})
  void stragglerThatCostsLessThanAPercent_isLeftOut(int lag, boolean isSaid) {
    steps(0, 1000 - lag, lag);
    assertThat(text().contains("w w1 (rank 1) was last in 10 of 10 fan-outs of play, always"))
        .isEqualTo(isSaid);
  }

  @Test
  void longCallThatEndsItsFanOuts_isNamedAndNotItsWorker() {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      for (int call = 0; call < 8; call++) {
        long end = at + (call == step % 8 ? 500 : 50);
        planted.span(step + 1, root, "play", "w" + call % 4, at, end);
      }
    }
    assertThat(text())
        .contains(
            " 10 of 10 fan-outs of play end with one long call: 500 ms, the typical call 50.0 ms;"
                + " sharing calls out differently would not help ")
        .doesNotContain("was last in");
  }

  @Test
  void workerOfHalfTheFanOuts_isCountedInItsOwn() {
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      for (int group = 0; group < 2; group++) {
        long rollout =
            planted.span(step + 1, root, "coordinate", "c" + group, at, at + 400 + 400 * group);
        planted.span(step + 1, rollout, "play", "w" + 2 * group, at, at + 300);
        planted.span(step + 1, rollout, "play", "w" + (2 * group + 1), at, at + 301 + 400 * group);
      }
    }
    assertThat(text())
        .contains(
            "w w3 (rank 3) was last in 10 of its 10 fan-outs of play, always, and the other ");
  }
}
