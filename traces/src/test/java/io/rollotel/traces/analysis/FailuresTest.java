package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {

  private final Planted planted = new Planted();

  @Test
  void failureThatItsAncestorsSaw_isOneError() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 100, "failure", "disk full");
    long call = planted.span(1, step, "dispatch", "driver", 0, 90, "failure", "");
    long work = planted.span(1, call, "worker.save", "w1", 5, 80, "failure", "Failed: disk full");
    planted.span(1, work, "save", "w1", 10, 70, "failure", "disk full");
    planted.span(1, step, "other", "driver", 90, 95, "failure", "something else");
    assertThat(rows()).containsExactly("1 other, seen 0", "1 save, seen 3");
    assertThat(planted.analysis().problems().errors()).isEqualTo(5);
    assertThat(planted.analysis().problems().errorsBegun()).isEqualTo(2);
  }

  @Test
  void parentWithAReasonOfItsOwn_isAnErrorOfItsOwn() {
    long parent = planted.span(1, 0, "parent", "w1", 0, 100, "failure", "gave up");
    planted.span(1, parent, "try", "w1", 0, 10, "failure", "refused");
    planted.span(1, parent, "try", "w1", 20, 30, "failure", "refused");
    assertThat(rows()).containsExactly("2 try, seen 0", "1 parent, seen 0");
  }

  @Test
  void parentOfSeveralThatFailed_hasSeenThem() {
    long parent = planted.span(1, 0, "all", "driver", 0, 100, "failure", "lost 7");
    for (int rank = 0; rank < 4; rank++) {
      planted.span(1, parent, "one", "w" + rank, 0, 50, "failure", "lost " + rank);
    }
    assertThat(rows()).containsExactly("4 one, seen 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          connection refused: node7/10.0.0.7:4317 | connection refused: node12/10.0.0.12:50051 | true
          no task 3fa85f64-5717-4562-b3fc-2c963f66afa6 | no task 0b5c1f0e-2d3b-4c5d-8e9f-a0b1c2d3e4f5 | true
          java.lang.Object@1b2c3d failed | java.lang.Object@ff failed | true
          trace 4bf92f3577b34da6 lost | trace 00f067aa0ba902b7 lost | true
          segment 0xdeadbeef | segment 0x1 | true
          timed out after 1.5 s | timed out after 30 s | true
          timed out after 30 s | timed out after 30 ms | false
          a bad face | a bad cafe | false
          """)
  void reasonsThatDifferInANumber_areOneRow(String one, String other, boolean isOne) {
    planted.span(1, 0, "a", "w1", 0, 5, "failure", one);
    planted.span(2, 0, "a", "w1", 0, 5, "failure", other);
    List<Failures.Failure> failures = planted.analysis().problems().failures();
    assertThat(failures).hasSize(isOne ? 1 : 2);
    assertThat(failures.get(0).isVaried()).isEqualTo(isOne);
  }

  @Test
  void moreReasonsThanAreKept_areStillOneRow() {
    for (int i = 0; i < 10_100; i++) {
      planted.span(i, 0, "a", "w1", 0, 5, "failure", "no such id: " + i);
    }
    assertThat(rows()).containsExactly("10100 a, seen 0");
  }

  @Test
  void deepChainOfFailures_needsNeitherStackNorTime() {
    int depth = 100_000;
    for (int i = 1; i <= depth; i++) {
      planted.span(1, i, i - 1, "deep", "w1", 0, depth - i + 1, "failure", "end of it");
    }
    assertThat(rows()).containsExactly("1 deep, seen " + (depth - 1));
  }

  private List<String> rows() {
    RunAnalysis run = planted.analysis();
    return run.problems().failures().stream()
        .map(
            row ->
                row.count() + " " + run.spans().names().text(row.name()) + ", seen " + row.seen())
        .toList();
  }
}
