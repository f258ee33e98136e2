package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedWaits;
import io.rollotel.traces.otlp.Span;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Findings in a report: in sentences, and as JSON. */
class FindingsReportTest {

  private static final long MS = 1_000_000;

  private final Planted planted = new Planted().inUnitsOf(MS);

  private ReportContents contents() {
    return PlantedContents.of(planted);
  }

  /**
   * Twenty steps of 900 ms; of four workers that generate the last takes 600 ms, the others 200.
   */
  private void training() {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long root =
          planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900, "global_step", step);
      for (int worker = 0; worker < 4; worker++) {
        long end = at + 50 + (worker == 3 ? 600 : 200);
        planted.span(step + 1, root, "generate", "w" + worker + "@gpu" + worker, at + 50, end);
      }
      planted.span(step + 1, root, "train", "w0@gpu0", at + 650, at + 890);
      planted.span(step + 1, root, "log", "driver", at + 890, at + 892, "kind", Span.PRODUCER);
    }
  }

  /** Calls to four workers, each of them sent on so many milliseconds after the one before. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "50, 1, 400 | in pipeline_step, calls of play are sent to w w3 (rank 3) last, 150 ms after the"
            + " first (10 of 10 times): the saving is at most this, if all are sent at once",
        "210, 1, 200 | in pipeline_step, calls of play to 4 workers run one after the other (10 of 10"
            + " times): the saving is at most this, if all run at once and none needs the result of"
            + " another",
        "210, 2, 200 | in pipeline_step, calls of play to 4 workers run at most 2 at a time (10 of 10"
            + " times): the saving is at most this, if all run at once and none needs the result of"
            + " another",
      })
  void callsThatAreSentLater_areToldWithTheCondition(String sent, String text) {
    String[] numbers = sent.split(", ");
    for (int step = 0; step < 10; step++) {
      long at = step * 2000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      for (int worker = 0; worker < 4; worker++) {
        long from = at + 10 + Long.parseLong(numbers[0]) * (worker / Long.parseLong(numbers[1]));
        long end = from + Long.parseLong(numbers[2]);
        planted.span(step + 1, root, "play", "w" + worker, from, end, "roll.queue_ns", 0L);
      }
    }
    assertThat(contents().findings().get(0).text()).isEqualTo(text);
  }

  /** Steps overlap: nobody knows what earlier calls would save, so it is told as a fact. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "50, 400 | in pipeline_step, calls of play are sent to w w3 (rank 3) last, 150 ms after the first",
        "110, 100 | in pipeline_step, calls of play to 4 workers run one after the other",
      })
  void callsThatAreSentLaterBesideOtherSteps_areToldWithoutASaving(String sent, String text) {
    String[] numbers = sent.split(", ");
    for (int step = 0; step < 10; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 1500);
      for (int worker = 0; worker < 4; worker++) {
        long from = at + 10 + Long.parseLong(numbers[0]) * worker;
        long end = from + Long.parseLong(numbers[1]);
        planted.span(step + 1, root, "play", "w" + worker, from, end, "roll.queue_ns", 0L);
      }
    }
    assertThat(text().replaceAll("\\s+", " "))
        .contains(text + " (10 of 10 times), while no worker became free from another step ")
        .contains("What would save time? Not estimated, since the steps overlap");
    assertThat(contents().findings().get(0).isToldWithoutSaving()).isTrue();
  }

  /**
   * Somebody who asks about the worker that is last most often must not be shown another's call.
   */
  @Test
  void worstFanOutOfAStraggler_isItsOwn() {
    for (int step = 0; step < 6; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 900);
      planted.span(step + 1, root, "generate", "w0@a", at, at + (step == 3 ? 500 : 100));
      planted.span(step + 1, root, "generate", "w1@b", at, at + (step == 3 ? 100 : 200 + step));
    }
    ReportContents.FanOutRow row = contents().fanOuts().get(0);
    assertThat(row.worstSpan().process().label()).isEqualTo("w w0 (rank 0)");
    assertThat(row.stragglers())
        .extracting(
            straggler -> straggler.process().label(),
            straggler -> straggler.worstSpan().process().label(),
            ReportContents.StragglerRow::worstCostNanos)
        .containsExactly(
            tuple("w w1 (rank 1)", "w w1 (rank 1)", 105_000_000L),
            tuple("w w0 (rank 0)", "w w0 (rank 0)", 400_000_000L));
  }

  private String text() {
    return text(contents());
  }

  private static String text(ReportContents contents) {
    StringWriter text = new StringWriter();
    new SummaryText(contents, new ReportWriter(text)).print();
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  @Test
  void spanThatWaitsForOthers_isNotTakenForTheWork() {
    assertThat(text(PlantedContents.of(PlantedWaits.polled(20, 1))))
        .contains(
            "  collect waits for worker.score, so its time on the path is theirs: each of 20 waits"
                + " ends when one\n      of these does (median 1.30 ms apart), 19 times on w w3 (rank 3)\n");
    assertThat(text(PlantedContents.of(PlantedWaits.asynchronous(20, 1))))
        .contains(
            "  get_batch waits for trajectory, so its time on the path is theirs: 19 of 20"
                + " waits end when one of\n      these does (median 700 µs apart)\n")
        .contains(" fast; it waits for trajectory\n");
  }

  /** ROLL's spans have no run id, and its receiver appends to the file of the run before. */
  @ParameterizedTest
  @CsvSource({
    "0 1 2 3 0 1 2, true",
    "0 1 0 1, true",
    "0 1 2 3 4 5, false",
    "0 1 1 0 2 3, false",
    "5 6 7 8 6 7, false",
    "0 0 0 0, false",
  })
  void labelsThatBeginAgain_areSaidToBeSeveralRuns(String labels, boolean isSaid) {
    int at = 0;
    for (String label : labels.split(" ", -1)) {
      at++;
      planted.span(
          at, 0, "pipeline_step", "driver", at * 1000L, at * 1000L + 900, "global_step", label);
    }
    assertThat(text().contains("  its steps begin again at step 0: an epoch, a restart"))
        .isEqualTo(isSaid);
  }

  @ParameterizedTest
  @CsvSource({
    "driver a 0, driver b 0, 400, true",
    "driver a 0, driver b 0, 1000, false",
    "driver a 0, driver a 0, 400, false",
    "driver a 0, driver b 1, 400, false",
    "driver a '', driver b '', 400, false",
  })
  void stepsOfTwoProcessesAtATime_areSaidToBeOfTwoDrivers(
      String one, String other, long apart, boolean isSaid) {
    int at = 0;
    for (String step : List.of(one, other)) {
      String[] words = step.split(" ", -1);
      at++;
      planted.span(
          at,
          0,
          "pipeline_step",
          words[0] + words[1],
          at * apart,
          at * apart + 900,
          "global_step",
          words[2].replace("'", ""));
    }
    assertThat(
            text()
                .replaceAll("\\s+", " ")
                .contains(
                    " two processes have a step 0, drivera drivera and driverb driverb: unless they are"
                        + " one pipeline, give each its own output directory"))
        .isEqualTo(isSaid);
  }

  @Test
  void textOfASlowWorker_saysWhatItCostsAndWhereItShows() {
    training();
    assertThat(text())
        .contains(
"""
What would save time? Estimated savings for all steps (they overlap):
    44%  8.00 s    w w3 (rank 3) is slow: generate takes 3.0 times its peers' median (20 of 20
                     times)
    33%  6.00 s    phase generate takes 67% of the steps: this is saved if it becomes twice as fast
""");
    assertThat(text().lines()).allMatch(line -> line.length() <= 100);
  }

  /** Four workers, of which one has as many shards as the others together, or each in turn. */
  @ParameterizedTest
  @CsvSource({
    "false, 'w w3 (rank 3) has most in 20 of 20 fan-outs, with 50% of the calls'",
    "true, which worker has most changes from one fan-out to the next"
  })
  void textOfAnImbalance_saysWhoHasMost(boolean isInTurn, String who) {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 350);
      for (int shard = 0; shard < 6; shard++) {
        int worker = Math.min(shard, 3);
        long from = at + 100 * (shard - worker);
        String to = "w" + (isInTurn ? (worker + step) % 4 : worker);
        planted.span(
            step + 1, root, "play", to, from, from + 100, "roll.queue_ns", (from - at) * MS);
      }
    }
    assertThat(text().replaceAll("\\s+", " "))
        .contains("work is shared out unevenly, most in play: " + who + " ");
  }

  @Test
  void textOfASlowWorkerInACollective_saysWhereTheOthersWait() {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 500);
      for (int worker = 0; worker < 4; worker++) {
        String on = "w" + worker;
        long end = at + (worker == 3 ? 200 : 100);
        long call = planted.span(step + 1, root, "train", on, at, at + 250);
        planted.span(step + 1, call, "forward", on, at, end);
        planted.span(step + 1, call, "allReduce", on, end, at + 250);
      }
    }
    assertThat(text().replaceAll("\\s+", " "))
        .contains(
            " 20% 2.00 s w w3 (rank 3) is slow: forward takes 2.0 times its peers' median (20 of 20"
                + " times); the others wait for it in allReduce");
  }

  @Test
  void textOfASlowHostAndASlowWorker_namesBoth() {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 500);
      for (int worker = 0; worker < 8; worker++) {
        long end = at + (worker == 7 ? 400 : worker < 2 ? 300 : 100);
        planted.span(step + 1, root, "train", "w" + worker + "@gpu" + worker / 2, at, end);
      }
    }
    assertThat(text().replaceAll("\\s+", " "))
        .contains(
            " 60% 6.00 s host gpu0 and w w7 (rank 7) are slow, and fixing only one saves less: train"
                + " takes up to 4.0 times its peers' median (20 of 20 times)");
  }

  @Test
  void textOfASlowWorker_saysWhichPartOfItsCallsIsSlow() {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 500);
      for (int worker = 0; worker < 4; worker++) {
        String on = "w" + worker;
        long loaded = at + (worker == 3 ? 200 : 100);
        long call = planted.span(step + 1, root, "train", on, at, loaded + 100);
        planted.span(step + 1, call, "load", on, at, loaded);
      }
    }
    assertThat(text().replaceAll("\\s+", " "))
        .contains(
            "w w3 (rank 3) is slow: train takes 1.5 times its peers' median (20 of 20 times); all of"
                + " the difference is in load");
  }

  /**
   * Each worker trains on what its own sampler makes, in a trace of its own; that of the last one
   * is slow.
   *
   * @param isBelow whether the worker waits in a span below its call, and not in the call itself
   */
  @ParameterizedTest
  @CsvSource({"true, '; all of the difference is in get_batch'", "false, ''"})
  void textOfASlowWorkerThatOnlyWaits_saysForWhat(boolean isBelow, String part) {
    Random random = new Random(1);
    for (int step = 1; step <= 20; step++) {
      long at = step * 1000L;
      long root = planted.span(step, 0, "pipeline_step", "driver", at, at + 900);
      for (int worker = 0; worker < 4; worker++) {
        long made = at + 100 + (worker == 3 ? 300 : 0) + random.nextInt(100);
        planted.span(100 * step + worker, 0, "sample", "s" + worker, at - 50, made);
        String to = "w" + worker;
        if (isBelow) {
          long train = planted.span(step, root, "train", to, at + 10, made + 51);
          planted.span(step, train, "get_batch", to, at + 11, made + 1);
        } else {
          planted.span(step, root, "train", to, at + 10, made + 1);
        }
      }
    }
    assertThat(contents().findings().get(0).text())
        .startsWith("w w3 (rank 3) is slow: train takes ")
        .endsWith(" times)" + part + "; it waits for sample");
  }

  @Test
  void equalWorkers_haveNoFinding() {
    planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    assertThat(text()).doesNotContain("What would save time?");
  }

  /** One of four workers blips in every fifth step, or is slow from step 12 on. */
  @ParameterizedTest
  @CsvSource({
    "true, 'every 5th step takes 2.3 times the median of the others: in each of them, other workers"
        + " wait for w w2 (rank 2) in generate'",
    "false, 'since step 12 w w2 (rank 2) is slow: generate takes 3.0 times its peers\'\' median (8 of"
        + " 8 times)'"
  })
  void workerThatIsSlowInSomeSteps_isNamedWithThem(boolean isPeriodic, String said) {
    long at = 0;
    for (int step = 0; step < 20; step++) {
      boolean isSlow = isPeriodic ? step % 5 == 4 : step >= 12;
      long end = at + (isSlow ? 700 : 300);
      long root =
          planted.span(step + 1, 0, "pipeline_step", "driver", at, end, "global_step", step);
      for (int worker = 0; worker < 4; worker++) {
        long took = isSlow && worker == 2 ? 600 : 200;
        planted.span(step + 1, root, "generate", "w" + worker, at + 10, at + 10 + took);
      }
      at = end + 10;
    }
    assertThat(text().replaceAll("\\s+", " ")).contains(said);
  }

  @Test
  void slowStep_isNamedByItsLabel() {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long nanos = step == 7 ? 900 : 300 + step % 5;
      planted.span(step + 1, 0, "pipeline_step", "driver", at, at + nanos, "global_step", step);
    }
    assertThat(text()).contains("step 7 takes 3.0 times the median\n");
  }

  @Test
  void json_hasTheSpansThatProveIt() {
    training();
    StringWriter text = new StringWriter();
    ReportJson.write(contents(), null, new TraceUrlTemplate(null), new PrintWriter(text, true));
    assertThat(text.toString())
        .contains(
            "\"findings\":[{\"kind\":\"slow-worker\",\"name\":\"generate\",\"worker\":{"
                + "\"service\":\"w\",\"instance\":\"w3\",\"rank\":\"3\"},\"host\":\"gpu3\","
                + "\"savesNanos\":8000000000,\"shareOfSteps\":"
                + 400.0 / 900
                + ",\"text\":\"w w3 (rank 3) is slow: ")
        .contains("\"evidence\":[{\"traceId\":\"")
        .contains("\"instance\":\"w3\",\"startEpochNanos\":" + (Planted.START + 50 * MS));
  }
}
