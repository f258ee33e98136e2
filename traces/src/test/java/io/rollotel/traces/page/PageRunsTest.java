package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedAgentRuns;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs of an agent framework on the page. */
class PageRunsTest {

  private static final long MS = 1_000_000;

  @Test
  void runWithoutAny_hasNone() throws Exception {
    Planted planted = new Planted();
    planted.span(1, 0, "pipeline_step", "a@b", 0, 10, "rlm.run_id", "a name alone makes no run");
    PageReader page = new PageReader(HtmlPage.of(spans(planted), ReportOptions.latestRun()));
    assertThat(((Map<?, ?>) page.report.get("agentRuns")).get("runs")).isEqualTo(List.of());
  }

  @Test
  void page_hasStepsThatLeadToTheirItems() throws Exception {
    PageReader page =
        new PageReader(HtmlPage.of(spans(PlantedAgentRuns.three()), ReportOptions.latestRun()));
    Map<?, ?> runs = (Map<?, ?>) page.report.get("agentRuns");
    assertThat(PageReader.number(runs.get("rewarded"))).isEqualTo(3);
    Map<?, ?> one = (Map<?, ?>) ((List<?>) runs.get("runs")).get(0);
    List<?> second = (List<?>) ((List<?>) one.get("shown")).get(1);
    PageReader.Item item = page.items.get((int) PageReader.number(second.get(1)));
    assertThat(item.name()).isEqualTo("rlm.step");
    assertThat(item.startNanos()).isEqualTo(40 * MS).isEqualTo(PageReader.number(second.get(3)));
    assertThat(second.toString()).matches("\\[search, \\d+, 2, 40000000, 50000000, 3.5, 5.0, 0]");
  }

  @Tag("campaign")
  @Test
  void thousandsOfRuns_leaveThePageWithinItsSizeAndSayHowManyAreLeftOut() throws Exception {
    Planted planted = new Planted();
    String text = "\u20ac".repeat(5000);
    for (int i = 0; i < 5000; i++) {
      String id = i + text;
      long run =
          planted.span(
              1 + i,
              0,
              "rlm.run",
              "a@b",
              100L * i,
              100L * i + 90,
              "rlm.run_id",
              id,
              "rlm.environment",
              text,
              "rlm.model",
              text,
              "rlm.completed",
              true);
      for (int s = 0; s < (i == 4999 ? 3000 : 12); s++) {
        PlantedAgentRuns.step(planted, 1 + i, run, id, s, 100L * i + s, 100L * i + s + 1, 1, 1 + s);
      }
    }
    PageReader page = new PageReader(HtmlPage.of(spans(planted), ReportOptions.latestRun()));
    Map<?, ?> runs = (Map<?, ?>) page.report.get("agentRuns");
    assertThat(PageReader.number(runs.get("count"))).isEqualTo(5000);
    assertThat(PageReader.number(runs.get("leftOut"))).isEqualTo(3000);
    List<?> shown = (List<?>) runs.get("runs");
    assertThat(shown).hasSize(2000);
    // Of the last every second step, and the last one; of the first none, for want of room.
    List<?> steps = (List<?>) ((Map<?, ?>) shown.get(1999)).get("shown");
    assertThat(steps).hasSize(1501);
    assertThat(((List<?>) steps.get(1500)).get(2).toString()).isEqualTo("2999");
    assertThat((List<?>) ((Map<?, ?>) shown.get(0)).get("shown")).isEmpty();
    int all =
        shown.stream().mapToInt(run -> ((List<?>) ((Map<?, ?>) run).get("shown")).size()).sum();
    assertThat(all).isBetween(15_000, 20_000);
    assertThat(runs.toString().length()).isLessThan(3_000_000);
  }

  private static Spans spans(Planted planted) {
    Spans spans = new Spans(new SpanTags(new PageTags(1 << 20)));
    planted.spans().forEach(spans::add);
    return spans;
  }
}
