package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.kit.Planted;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shapes of which there are many in one trace: a report takes seconds. If its time grew with the
 * square of their number, it would take minutes.
 */
@Timeout(60)
class LargeTracesTest {

  private final Planted planted = new Planted().inUnitsOf(1000);

  private ReportContents contents() {
    ReadSummary files = new ReadSummary(List.of(), 0, 0, 0, 0, List.of());
    return new ContentsBuilder(planted.analysisOf().totals(), null)
        .contents(List.of(), files, new OpenSpans(List.of()));
  }

  @Test
  void namesThatOutliveTheirStep_haveAFindingEach() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 1000);
    for (int i = 0; i < 100_000; i++) {
      planted.span(1, step, "save " + i, "w", 500, 2000);
    }
    assertThat(contents().findings()).hasSizeGreaterThan(100_000);
  }

  @Test
  void services_haveTheirShareOfTheTimeOfARoot() {
    long root = planted.span(1, 0, "GET /x", "web", 0, 60_000);
    for (int i = 0; i < 60_000; i++) {
      StringBuilder letters = new StringBuilder();
      Integer.toString(i).chars().forEach(digit -> letters.append((char) (digit - '0' + 'a')));
      planted.span(1, root, "query", letters.toString(), i, i + 1);
    }
    ReportContents.RootRow row = contents().roots().get(0);
    assertThat(row.services()).hasSize(60_000);
    assertThat(row.services().get(0).selfShare()).isEqualTo(1.0 / 60_000);
  }
}
