package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** Two runs in one page, in a real browser. */
class PageAgainstIT extends BrowserTest {

  private static final long MS = 1_000_000;

  /** Steps of 40 ms of generate, whose last worker takes as long as is said, and 30 of train. */
  static Planted run(int steps, int workers, int slowRank, long slowMillis) {
    Planted planted = new Planted().inUnitsOf(MS);
    long at = 0;
    for (int step = 0; step < steps; step++) {
      long trace = 1 + step;
      long generate = Math.max(40, slowMillis + 4) + step % 3;
      long root =
          planted.span(
              trace,
              0,
              "pipeline_step",
              "driver",
              at,
              at + generate + 30,
              "global_step",
              "" + step);
      long phase = planted.span(trace, root, "generate", "driver", at, at + generate);
      for (int rank = 0; rank < workers; rank++) {
        long took = (rank == slowRank ? slowMillis : 20) + step % 3;
        planted.span(trace, phase, "worker.generate", "actor" + rank, at + 2, at + 2 + took);
      }
      planted.span(trace, root, "train", "driver", at + generate, at + generate + 30);
      at += generate + 40;
    }
    return planted;
  }

  private static Spans read(Planted planted) {
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    planted.spans().forEach(spans::add);
    return spans;
  }

  static HtmlPage page(Planted now, Planted before) {
    return page(read(now), read(before));
  }

  private static HtmlPage page(Spans now, Spans before) {
    ReportOptions options = ReportOptions.latestRun();
    RunReport baseline = RunReport.ofNewest(List.of(), options, before, new OpenSpans(List.of()));
    HtmlPage page = HtmlPage.of(now, options);
    return page.against(baseline, page.report().against(baseline));
  }

  @Test
  void twoRunsOfAMillionSpans_fitIntoTwentyMegabytes() throws Exception {
    Spans now = read(new Planted());
    Spans before = read(new Planted());
    PageIT.addMillion(now);
    PageIT.addMillion(before);
    Path file = browser.open(page(now, before), dir.resolve("page.html"));
    assertThat(Files.size(file)).isLessThan(20_000_000);
    assertThat(browser.number("app.model.items")).isBetween(500_000.0, 700_000.0);
    assertThat(lanes("now")).isEqualTo(lanes("before"));
    browser.run("document.querySelector('#against canvas[tabindex]').focus()");
    browser.type(Keys.ARROW_RIGHT);
    browser.assertNoComplaints();
    System.out.printf(
        "A page of two runs of a million spans: %.1f MB, ready after %.0f ms, another step %.0f ms%n",
        Files.size(file) / 1e6,
        browser.number("performance.getEntriesByName('ready')[0].startTime"),
        browser.number(
            "(() => { const from = performance.now(); app.against.pair.choose(77); return performance.now() - from; })()"));
  }

  private void open(Planted now, Planted before) throws IOException {
    browser.open(page(now, before), dir.resolve("page.html"));
  }

  private String lanes(String side) {
    return (String)
        browser.run(
            "return [...document.querySelectorAll('.pair canvas')]["
                + (side.equals("before") ? 0 : 1)
                + "].dataset.lanes");
  }

  @Test
  void slowerWorker_isWhatChangedAndSeenInItsStep() throws Exception {
    open(run(20, 4, 2, 60), run(20, 4, 2, 20));
    assertThat(browser.text("#against .lead"))
        .startsWith("A step takes 95.0 ms, before it took 71.0 ms: 1.34 times as long.");
    assertThat(browser.text("#against table"))
        .contains("Step\n71.0 ms 95.0 ms 1.34")
        .contains("phase generate")
        .contains("▲ slower")
        .doesNotContain("train");
    assertThat(browser.text("#against"))
        .contains("no difference beyond chance")
        .contains("worker.generate got slower on actor actor2 (rank 2) alone: 21.0 ms -> 61.0 ms");
    browser.click("#against-all");
    assertThat(browser.text("#against table")).contains("train");
    assertThat(browser.text("#against"))
        .contains("Phases of a step")
        .contains("Filled: 20 values of this run. Line: 20 values of before.");
    assertThat(lanes("now")).isEqualTo(lanes("before")).hasLineCount(5).startsWith("driver");
    browser.click("#against .more summary");
    assertThat(browser.text("#against .more table"))
        .containsPattern("actor · rank 2 2\\d\\.\\d ms 6\\d\\.\\d ms 40\\.0 ms");
    browser.assertNoComplaints();
  }

  @Test
  void choices_areInTheAddressAndMadeByKeyboard() throws Exception {
    open(run(20, 4, 2, 60), run(20, 4, 2, 20));
    browser.click("#against tbody tr:nth-child(6) button");
    browser.await("location.hash.includes('distribution=')");
    assertThat(browser.text("#against")).contains("80 values of before");
    browser.run("document.querySelector('#against canvas[tabindex]').focus()");
    String shown = "document.querySelector(\"#against [aria-label='Step']\").value";
    double first = browser.number(shown);
    browser.type(Keys.ARROW_RIGHT);
    assertThat(browser.number(shown)).isEqualTo(first + 1);
    browser.await("location.hash.includes('pair=')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    browser.await("document.body.dataset.address");
    assertThat(browser.number(shown)).isEqualTo(first + 1);
    assertThat(browser.text("#against")).contains("80 values of before");
    browser.assertNoComplaints();
  }

  @Test
  void runsOfOneKind_showNoDifference() throws Exception {
    open(run(20, 4, 2, 20), run(20, 4, 2, 20));
    assertThat(browser.text("#against .lead"))
        .startsWith("A step takes about as long as before, without a significant difference");
    assertThat(browser.text("#against")).contains("Nothing changed significantly.");
    browser.assertNoComplaints();
  }

  @Test
  void manyWorkers_leaveThoseThatDifferMost() throws Exception {
    open(run(12, 300, 277, 60), run(10, 300, 277, 20));
    assertThat(lanes("now")).hasLineCount(24).contains("actor · rank 277");
    assertThat(browser.text("#against"))
        .contains("277 workers more took part; shown are the 24 whose work differs most.");
    browser.run("document.querySelector('#against canvas[tabindex]').focus()");
    for (int i = 0; i < 12; i++) {
      browser.type(Keys.ARROW_RIGHT);
    }
    assertThat(browser.text("#against")).contains("Before: that run has no such step");
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"390, light", "390, dark", "1440, light", "1440, dark", "2560, light"})
  void section_fitsItsWidth(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    open(run(20, 30, 7, 60), run(18, 30, 7, 20));
    browser.run("document.getElementById('against').scrollIntoView()");
    assertThat(
            browser.number(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"))
        .isZero();
    browser.assertNoComplaints();
  }

  @Test
  void runsWithoutSteps_areComparedByTrace() throws Exception {
    Planted now = new Planted().inUnitsOf(MS);
    Planted before = new Planted().inUnitsOf(MS);
    for (int i = 0; i < 30; i++) {
      now.span(1 + i, 0, "GET /", "web", 100L * i, 100L * i + 40 + i % 3);
      before.span(1 + i, 0, "GET /", "web", 100L * i, 100L * i + 20 + i % 3);
    }
    open(now, before);
    assertThat(browser.text("#against .lead"))
        .startsWith("A trace takes 41.0 ms, before it took 21.0 ms: 1.95 times");
    assertThat(browser.number("document.querySelectorAll('.pair').length")).isZero();
    browser.assertNoComplaints();
  }
}
