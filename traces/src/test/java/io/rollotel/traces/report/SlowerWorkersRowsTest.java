package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.SlowerWorkers;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.spans.TracedProcess;
import java.io.StringWriter;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlowerWorkersRowsTest {

  private static final long MS = 1_000_000;

  @Test
  void oneWorker_isNamedBesideTheOthers() {
    assertThat(sentence(slower(1, "", true, 42)))
        .isEqualTo(
            "worker.generate got slower on actor vm:10 (rank 0) alone: 41.0 ms -> 90.0 ms; on 7"
                + " others 41.0 ms -> 42.0 ms");
  }

  @Test
  void othersGotSlowerToo_isNotAlone() {
    assertThat(sentence(slower(1, "", true, 55))).contains("(rank 0) most of all: 41.0 ms");
  }

  @Test
  void severalWorkers_aFewAreNamed() {
    assertThat(sentence(slower(2, "", true, 42)))
        .contains("got slower on actor vm:10 (rank 0) and actor vm:11 (rank 1) alone:");
    assertThat(sentence(slower(5, "", true, 42)))
        .contains("actor vm:10 (rank 0), actor vm:11 (rank 1), actor vm:12 (rank 2) and 2 more");
  }

  @Test
  void wholeHost_isNamedInstead() {
    assertThat(sentence(slower(4, "vm", true, 42)))
        .contains("worker.generate got slower on host vm (all of its 4 workers) alone:");
  }

  @Test
  void workersOfUnknownPast_areComparedWithTheSlowestThere() {
    assertThat(sentence(slower(1, "", false, 42)))
        .isEqualTo(
            "worker.generate got slower on actor vm:10 (rank 0) alone: 90.0 ms, on 7 others 42.0"
                + " ms; before, the slowest worker took 41.0 ms");
  }

  @Test
  void manyNames_threeArePrinted() {
    StringWriter text = new StringWriter();
    ReportWriter out = new ReportWriter(text);
    new SlowerWorkersRows(Collections.nCopies(5, slower(1, "", true, 42))).print(out);
    out.flush();
    assertThat(text.toString())
        .containsPattern("(?s)(got slower.*){3}and 2 more \\(--json has them\\)")
        .doesNotContainPattern("(?s)(got slower.*){4}");
  }

  @Test
  void noNames_printNothing() {
    StringWriter text = new StringWriter();
    new SlowerWorkersRows(List.of()).print(new ReportWriter(text));
    assertThat(text.toString()).isEmpty();
  }

  private static String sentence(SlowerWorkers one) {
    return new SlowerWorkersRows(List.of(one)).sentences().get(0);
  }

  private static SlowerWorkers slower(
      int workers, String host, boolean areMatched, long othersMillis) {
    return new SlowerWorkers(
        "worker.generate",
        IntStream.range(0, workers).mapToObj(SlowerWorkersRowsTest::worker).toList(),
        host,
        areMatched,
        7,
        41 * MS,
        90 * MS,
        41 * MS,
        othersMillis * MS,
        1,
        othersMillis < 50,
        0.001);
  }

  private static TracedProcess worker(int rank) {
    Resource resource =
        new Resource(
            Map.of(
                "service.name",
                "actor",
                "service.instance.id",
                "vm:1" + rank,
                "host.name",
                "vm",
                "roll.rank",
                "" + rank));
    return new TracedProcess(TracedProcess.key(resource), resource);
  }
}
