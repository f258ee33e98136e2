package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Call paths and durations on the page. */
class PageCallsTest {

  private static PageReader page(Planted planted) throws IOException {
    return new PageReader(PlantedRun.page(planted, ReportOptions.latestRun()));
  }

  /** Each path as its names, then count, total, self and errors. */
  private static List<String> paths(PageReader page) {
    List<String> paths = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (Object path : (List<?>) calls(page).get("paths")) {
      List<Long> numbers = ((List<?>) path).stream().map(PageReader::number).toList();
      Map<?, ?> name =
          (Map<?, ?>) ((List<?>) page.report.get("names")).get(Math.toIntExact(numbers.get(1)));
      int caller = Math.toIntExact(numbers.get(0));
      names.add((caller < 0 ? "" : names.get(caller) + " > ") + name.get("name"));
      paths.add(names.get(names.size() - 1) + " " + numbers.subList(2, 6));
    }
    return paths;
  }

  private static Map<?, ?> calls(PageReader page) {
    return (Map<?, ?>) page.report.get("calls");
  }

  @Test
  void spansOfOneNameBelowTheSameCallers_areOnePath() throws Exception {
    Planted planted = new Planted();
    for (int i = 0; i < 2; i++) {
      long root = planted.span(1 + i, 0, "step", "d@a", 100 * i, 100 * i + 90);
      long phase = planted.span(1 + i, root, "play", "d@a", 100 * i, 100 * i + 50);
      planted.span(1 + i, phase, "call", "w1@b", 100 * i + 5, 100 * i + 45);
      planted.span(1 + i, phase, "call", "w2@b", 100 * i + 5, 100 * i + 35, "failure", "lost");
      planted.span(1 + i, root, "call", "d@a", 100 * i + 60, 100 * i + 70);
    }
    assertThat(paths(page(planted)))
        .containsExactlyInAnyOrder(
            "step [2, 180, 60, 0]",
            "step > play [2, 100, 20, 0]",
            "step > play > call [4, 140, 140, 2]",
            "step > call [2, 20, 20, 0]");
  }

  @Test
  void callerThatWasNotRead_leavesAPathOfItsOwn() throws Exception {
    Planted planted = new Planted();
    planted.span(1, 77, "call", "d@a", 0, 10);
    planted.span(2, 0, "call", "d@a", 20, 30);
    assertThat(paths(page(planted))).containsExactly("call [2, 20, 20, 0]");
  }

  @Test
  void deepRecursion_isCutOffAndItsWorkIsKept() throws Exception {
    Planted planted = new Planted();
    long caller = 0;
    for (int i = 0; i < 300; i++) {
      caller = planted.span(1, caller, "again", "d@a", i, 1000 - i);
    }
    PageReader page = page(planted);
    assertThat(paths(page)).hasSize(100);
    assertThat(PageReader.number(calls(page).get("joined"))).isEqualTo(200);
    long self =
        ((List<?>) calls(page).get("paths"))
            .stream().mapToLong(path -> PageReader.number(((List<?>) path).get(4))).sum();
    assertThat(self).isEqualTo(1000);
  }

  @Test
  void manyPaths_leaveThoseWithTheMostWork() throws Exception {
    Planted planted = new Planted();
    long root = planted.span(1, 0, "root", "d@a", 0, 1_000_000);
    for (int i = 0; i < 4500; i++) {
      planted.span(1, root, "call" + i, "d@a", 100 * i, 100 * i + 1 + i % 90);
    }
    PageReader page = page(planted);
    assertThat((List<?>) calls(page).get("paths")).hasSize(PageLimits.FILE.calls());
    assertThat(PageReader.number(calls(page).get("leftOut"))).isEqualTo(501);
    assertThat(paths(page).get(0)).startsWith("root [1,");
  }

  @Test
  void durations_areCountedByClassesOfTime() throws Exception {
    Planted planted = new Planted().inUnitsOf(1024);
    for (int i = 0; i < 10; i++) {
      planted.span(1, 0, "one", "d@a", 10 * i, 10 * i + (i < 7 ? 1 : 4));
    }
    Map<?, ?> name = (Map<?, ?>) ((List<?>) page(planted).report.get("names")).get(0);
    int one = PageDurations.classOf(1024);
    assertThat(((List<?>) name.get("durations")).stream().map(PageReader::number).toList())
        .containsExactly((long) one, 7L, (long) one + 8, 3L);
  }

  @Test
  void classes_beginAtTheQuartersOfEachDoubling() {
    assertThat(List.of(0L, 1L, 2L, 3L, 4L, 8L, 1024L, 1023L))
        .extracting(PageDurations::classOf)
        .containsExactly(0, 0, 4, 6, 8, 12, 40, 39);
    assertThat(PageDurations.classOf(Long.MAX_VALUE)).isLessThan(256);
  }

  @ParameterizedTest
  @CsvSource({"2, false", "1, true"})
  void slicesThatHaveNoRoom_areLeftOut(int room, boolean isTooMuch) {
    PageCallSlices slices = new PageCallSlices(room);
    slices.add(0, 0, 1, 2, 3, 0);
    slices.add(0, 0, 1, 2, 3, 0);
    slices.add(7, 1, 1, 2, 3, 0);
    slices.add(-1, 1, 1, 2, 3, 0);
    slices.add(1, -1, 1, 2, 3, 0);
    assertThat(slices.isTooMuch()).isEqualTo(isTooMuch);
  }

  @Test
  void paths_haveWhatTheyDidInEachStepAndOnEachWorker() throws Exception {
    Planted planted = new Planted();
    for (int i = 0; i < 2; i++) {
      long at = 100L * i;
      long root = planted.span(1 + i, 0, "pipeline_step", "d@a", at, at + 90);
      planted.span(1 + i, root, "call", "w1@b", at + 5, at + 45 + i);
      planted.span(1 + i, root, "call", "w2@b", at + 5, at + 35, "failure", "lost");
    }
    planted.span(9, 0, "call", "w1@b", 95, 98);
    PageReader page = page(planted);
    // Longest first: call below the step, the step itself, and the call that is in none.
    assertThat(paths(page))
        .containsExactly(
            "pipeline_step [2, 180, 99, 0]",
            "pipeline_step > call [4, 141, 141, 2]",
            "call [1, 3, 3, 0]");
    assertThat(PageReader.callSlices(calls(page).get("bySteps")))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "0/0", List.of(1L, 90L, 50L, 0L),
                "0/1", List.of(2L, 70L, 70L, 1L),
                "1/0", List.of(1L, 90L, 49L, 0L),
                "1/1", List.of(2L, 71L, 71L, 1L)));
    assertThat(PageReader.callSlices(calls(page).get("byWorkers")))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "0/0", List.of(2L, 180L, 99L, 0L),
                "1/1", List.of(2L, 81L, 81L, 0L),
                "1/2", List.of(1L, 3L, 3L, 0L),
                "2/1", List.of(2L, 60L, 60L, 2L)));
  }
}
