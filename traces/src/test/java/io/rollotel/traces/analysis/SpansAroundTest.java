package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls whose parent is the sender of their payload, inside spans that another agent made. */
class SpansAroundTest {

  private static final String AROUND = "roll.around";
  private static final long ROLLOUT = 2;
  private static final long POST = 3;
  private static final long CALL = 4;
  private static final long GENERATE = 5;

  private final Planted planted = new Planted();

  private static String id(long id) {
    return String.format("%016x", id);
  }

  /** The name above each span's. */
  private static Map<String, String> tree(RunAnalysis run) {
    Spans spans = run.spans();
    Map<String, String> names = new TreeMap<>();
    for (int span : run.members()) {
      int parent = run.tree().parent(span);
      names.put(
          spans.nameOf(span),
          parent == SpanTree.NONE
              ? "root"
              : parent == SpanTree.UNKNOWN ? "unknown" : spans.nameOf(parent));
    }
    return names;
  }

  /** The parents are ids of spans: 1 to 5 are here, others were not read. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "nests,                                  3, 2, 2, 20, 80, 0000000000000004, POST /call",
    "nests at equal times,                   3, 2, 2, 10, 100, 0000000000000004, POST /call",
    "nests right below the sender,           2, 2, 2, 20, 80, 0000000000000004, POST /call",
    "nests below a sender that was not read, 3, 9, 9, 20, 80, 0000000000000004, POST /call",
    "outlasts the span around,               3, 2, 2, 20, 101, 0000000000000004, rollout",
    "begins before the span around,          3, 2, 2, 9, 80, 0000000000000004, rollout",
    "the way up leads past the sender,       3, 1, 2, 20, 80, 0000000000000004, rollout",
    "the way up is not known,                8, 2, 2, 20, 80, 0000000000000004, rollout",
    "the way up ends at a root,              0, 2, 2, 20, 80, 0000000000000004, rollout",
    "the way up is a ring,                   3, 4, 2, 20, 80, 0000000000000004, rollout",
    "the way up leads through the call,      5, 2, 2, 20, 80, 0000000000000004, rollout",
    "the call has no sender,                 3, 2, 0, 20, 80, 0000000000000004, root",
    "neither has a parent,                   0, 2, 0, 20, 80, 0000000000000004, root",
    "the call itself,                        3, 2, 2, 20, 80, 0000000000000005, rollout",
    "not read,                               3, 2, 2, 20, 80, 00000000000000ff, rollout",
    "zero,                                   3, 2, 2, 20, 80, 0000000000000000, rollout",
    "no id,                                  3, 2, 2, 20, 80, fourteen, rollout",
    "too long,                               3, 2, 2, 20, 80, 00000000000000004, rollout",
    "empty,                                  3, 2, 2, 20, 80, '', rollout",
  })
  @Timeout(60)
  void callInsideAnotherAgentsSpan_isThereIfItFits(
      String situation,
      long ofCall,
      long ofPost,
      long sender,
      long from,
      long to,
      String around,
      String parent) {
    Planted planted = new Planted().inUnitsOf(2_000_000); // a millisecond is tolerated
    planted.span(1, 1, 0, "pipeline_step", "driver@a", 0, 120);
    planted.span(1, ROLLOUT, 1, "rollout", "driver@a", 1, 110);
    planted.span(1, POST, ofPost, "POST", "driver@a", 2, 105, "kind", 3);
    planted.span(1, CALL, ofCall, "POST /call", "w1@a", 10, 100, "kind", 2);
    planted.span(1, GENERATE, sender, "generate", "w1@a", from, to, AROUND, around);
    RunAnalysis run = planted.analysisOf();
    assertThat(tree(run)).as(situation).containsEntry("generate", parent);
    assertThat(Arrays.stream(run.members()).mapToObj(run.spans()::parentSpanId))
        .as("what JSON and exports show")
        .contains(sender == 0 ? "" : id(sender));
  }

  /** Each span of an SDK may have its own reading of the wall clock. */
  @ParameterizedTest
  @CsvSource({"0, 0, true", "1000000, 1000000, true", "1000001, 0, false", "0, 1000001, false"})
  void callThatReachesBeyond_nestsIfThatIsNoMoreThanAMillisecond(
      long before, long after, boolean nests) {
    long start = 10_000_000;
    long end = 20_000_000;
    planted.span(1, ROLLOUT, 0, "rollout", "driver@a", 0, 40_000_000);
    planted.span(1, CALL, ROLLOUT, "POST /call", "w1@a", start, end, "kind", 2);
    planted.span(
        1, GENERATE, ROLLOUT, "generate", "w1@a", start - before, end + after, AROUND, id(CALL));
    assertThat(tree(planted.analysisOf()))
        .containsEntry("generate", nests ? "POST /call" : "rollout");
  }

  @Test
  void idOfAnotherTrace_isUnknown() {
    planted.span(1, 1, 0, "rollout", "driver", 0, 100);
    planted.span(2, 2, 1, "POST /call", "w1", 0, 100);
    planted.span(1, 3, 1, "generate", "w1", 10, 90, AROUND, id(2));
    assertThat(tree(planted.analysisOf())).containsEntry("generate", "rollout");
  }

  @Test
  void callsInsideEachOthersSpans_makeARingThatIsCut() {
    planted.span(1, 1, 0, "rollout", "driver", 0, 100);
    planted.span(1, 2, 1, "generate", "w1", 10, 90, AROUND, id(5));
    planted.span(1, 3, 1, "score", "w1", 10, 90, AROUND, id(4));
    planted.span(1, 4, 2, "a", "w1", 10, 90);
    planted.span(1, 5, 3, "b", "w1", 10, 90);
    RunAnalysis run = planted.analysisOf();
    assertThat(run.tree().rings()).isEqualTo(1);
    assertThat(run.members()).hasSize(5);
  }

  @Test
  void wayUp_isBounded() {
    planted.span(1, 1, 0, "rollout", "driver", 0, 100_000);
    for (int id = 2; id <= 200; id++) {
      planted.span(1, id, id - 1, "attempt", "driver", id, 100_000);
    }
    planted.span(1, 201, 1, "near", "w1", 1_000, 2_000, AROUND, id(101));
    planted.span(1, 202, 1, "far", "w1", 1_000, 2_000, AROUND, id(200));
    assertThat(tree(planted.analysisOf()))
        .containsEntry("near", "attempt")
        .containsEntry("far", "rollout");
  }

  /** Three workers over HTTP; the last one is the slowest, and works nearly all the time. */
  private void training(boolean hasAttribute) {
    for (int step = 1; step <= 4; step++) {
      long at = 1_000L * step;
      long root = planted.span(step, 0, "pipeline_step", "driver@a", at, at + 500);
      long rollout = planted.span(step, root, "rollout", "driver@a", at, at + 500);
      for (int worker = 0; worker < 3; worker++) {
        String process = "w" + worker + "@b";
        long end = at + 300 + 90 * worker;
        long post = planted.span(step, rollout, "POST", "driver@a", at + 10, end + 10, "kind", 3);
        long call = planted.span(step, post, "POST /call", process, at + 20, end, "kind", 2);
        long inner = planted.span(step, call, "controller", process, at + 22, end);
        Object[] more =
            hasAttribute
                ? new Object[] {"roll.queue_ns", 15L, AROUND, id(inner)}
                : new Object[] {"roll.queue_ns", 15L};
        planted.span(step, rollout, "generate", process, at + 25, end - 5, more);
      }
    }
  }

  @Test
  void criticalPath_goesThroughTheCall() {
    training(true);
    RunAnalysis run = planted.analysisOf();
    assertThat(run.path().names())
        .extracting(share -> run.spans().names().text(share.number()), PathShares.Share::nanos)
        .containsExactly(
            tuple("generate", 4 * 450L),
            tuple("POST", 4 * 20L),
            tuple("rollout", 4 * 20L),
            tuple("controller", 4 * 8L),
            tuple("POST /call", 4 * 2L));
    assertThat(run.fanOuts())
        .as("the worker's method has its own, whatever spans are between")
        .extracting(fanOut -> run.spans().names().text(fanOut.name()), FanOuts.Totals::costNanos)
        .contains(tuple("generate", 4 * 90L));
  }

  @Test
  void fileWithoutTheAttribute_isReadAsBefore() {
    training(false);
    RunAnalysis run = planted.analysisOf();
    assertThat(tree(run)).containsEntry("generate", "rollout");
  }

  @Test
  void waitInTheQueue_isMeasuredAgainstTheSendersClock() {
    long ahead = 3_000;
    for (int step = 1; step <= 4; step++) {
      long at = 10_000L * step;
      long rollout = planted.span(step, 0, "rollout", "driver@a", at, at + 500);
      long post = planted.span(step, rollout, "POST", "driver@a", at + 10, at + 400, "kind", 3);
      long from = at + ahead;
      long call = planted.span(step, post, "POST /call", "w1@b", from + 20, from + 390, "kind", 2);
      long inner = planted.span(step, call, "controller", "w1@b", from + 22, from + 389);
      planted.span(
          step,
          rollout,
          "generate",
          "w1@b",
          from + 25,
          from + 380,
          "roll.queue_ns",
          ahead + 20,
          AROUND,
          id(inner));
    }
    RunAnalysis run = planted.analysisOf();
    Spans spans = run.spans();
    assertThat(run.clocks().corrected()).isNotEmpty();
    assertThat(tree(run)).containsEntry("generate", "controller");
    assertThat(Arrays.stream(run.members()).boxed().toList())
        .filteredOn(span -> spans.nameOf(span).equals("generate"))
        .hasSize(4)
        .allSatisfy(span -> assertThat(spans.queueNanos(span)).isBetween(1L, 40L));
  }
}
