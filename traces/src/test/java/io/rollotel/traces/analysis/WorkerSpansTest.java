package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerSpansTest {

  private final Planted planted = new Planted();

  private static List<String> rows(RunAnalysis run) {
    return run.workerSpans().stream()
        .map(
            row ->
                "%s on %s: %d, %d, %d"
                    .formatted(
                        run.spans().names().text(row.name()),
                        run.spans().processes().get(row.process()).instanceId(),
                        row.count(),
                        row.meanNanos(),
                        row.p95Nanos()))
        .toList();
  }

  @Test
  void names_areSortedByTheirTimeAndWorkersByTheirMean() {
    planted.span(1, 0, "short", "w1", 0, 5);
    planted.span(1, 0, "long", "w1", 0, 10);
    planted.span(1, 0, "long", "w2", 0, 70);
    planted.span(1, 0, "long", "w2", 0, 30);
    planted.span(1, 0, "short", "driver", 0, 6);
    assertThat(rows(planted.analysis()))
        .containsExactly(
            "long on w2: 2, 50, 70",
            "long on w1: 1, 10, 10",
            "short on driver: 1, 6, 6",
            "short on w1: 1, 5, 5");
  }

  /** The worker with the longest mean only waits longest: another works longest itself. */
  @Test
  void selfTime_isWithoutThatOfSpansThatWereWaitedFor() {
    for (int trace = 1; trace <= 2; trace++) {
      long waiting = planted.span(trace, 0, "play", "w1", 0, 100);
      planted.span(trace, waiting, "query", "store", 10, 90);
      long working = planted.span(trace, 0, "play", "w2", 0, 60);
      planted.span(trace, working, "query", "store", 30, 40 + trace);
    }
    RunAnalysis run = planted.analysis();
    assertThat(rows(run).subList(0, 2))
        .containsExactly("play on w1: 2, 100, 100", "play on w2: 2, 60, 60");
    assertThat(run.workerSpans().stream().limit(2).map(WorkerSpans::meanSelfNanos))
        .containsExactly(20L, 49L);
  }

  @Test
  void callOnRay_isItsExecution() {
    long sent = planted.span(1, 0, "f ray.remote", "driver", 0, 3, "kind", Span.PRODUCER);
    planted.span(1, sent, "f ray.remote_worker", "w1", 5, 25, "kind", Span.CONSUMER);
    assertThat(rows(planted.analysis())).containsExactly("f on w1: 1, 20, 20");
  }

  @Test
  void spanThatStandsForOthers_countsAsSoMany() {
    planted.standingFor(4).span(1, 0, "f", "w1", 0, 10);
    planted.standingFor(1).span(2, 0, "f", "w1", 0, 110);
    assertThat(rows(planted.analysis())).containsExactly("f on w1: 5, 30, 110");
  }

  /** The rows of a name add up to the name's. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyRun_hasInItsRowsWhatItsNamesHave(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      long start = random.nextInt(1_000_000);
      planted.span(
          random.nextInt(50),
          0,
          "f" + random.nextInt(20),
          "w" + random.nextInt(10),
          start,
          start + random.nextInt(1_000));
    }
    RunAnalysis run = planted.analysis();
    for (NameTotals name : run.nameTotals()) {
      List<WorkerSpans> rows =
          run.workerSpans().stream()
              .filter(row -> run.spans().names().text(row.name()).equals(name.name()))
              .toList();
      assertThat(rows.stream().mapToLong(WorkerSpans::count).sum()).isEqualTo(name.count());
      assertThat(rows.stream().mapToLong(WorkerSpans::totalNanos).sum())
          .isEqualTo(name.totalNanos());
      assertThat(rows)
          .allMatch(row -> row.p95Nanos() <= name.percentile(100))
          .isSortedAccordingTo((a, b) -> Long.compare(b.meanNanos(), a.meanNanos()));
    }
  }
}
