package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** The page in a real browser: what people see, and what happens when they click. */
@Timeout(1200)
class PageIT extends BrowserTest {

  private static final long MS = 1_000_000;

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  @Test
  void overview_answersTheThreeQuestions() throws Exception {
    open(PlantedRun.steps());
    assertThat(browser.text("#overview"))
        .contains("took 1.31 s", "12 traces", "60 spans", "3 processes", "1 error")
        .contains("Where is the time spent?\n60% in generate", "train\n360 ms\n30%")
        .contains("unattributed\n120 ms\n10%")
        .contains("What is the critical path?\n56% of it is worker.generate")
        .contains("actor actor1 · rank 1\n672 ms\n56%")
        .contains("Which step or worker is the bottleneck?\nactor actor1 · rank 1 keeps the others")
        .contains("in 12 of 12 fan-outs, always: the others waited 456 ms for it, 38% of the steps")
        .contains("What would save time?\nUp to 38% of step time");
    assertThat(browser.text("#names")).contains("worker.generate", "▲ 1");
    assertThat(browser.text("#workers"))
        .contains("actor actor0 · rank 0", "82%", "worker.generate");
    assertThat(browser.text("#trouble")).contains("out of memory", "The slowest spans");
    browser.assertNoComplaints();
  }

  @Test
  void waitInAQueueOnThePath_saysSoUnderThePointer() throws Exception {
    Planted planted = new Planted().inUnitsOf(MS);
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 1000);
    long send = planted.span(1, step, "send", "driver@a", 5, 10, "kind", Span.PRODUCER);
    planted.span(1, send, "work", "w1@b", 900, 990, "kind", Span.CONSUMER);
    open(planted);
    double x =
        browser.number(
            "app.timeline.view.left + 0.5 * (app.timeline.width - app.timeline.view.left)");
    double y =
        browser.number(
            "40 + app.timeline.lanes.shown[1].top + app.timeline.lanes.shown[1].rows[0].top + 8");
    browser.pointToTimeline(x, y);
    browser.await("!document.querySelector('#tip').hidden");
    assertThat(browser.text("#tip"))
        .isEqualTo("work\nwaited in the queue for 890 ms, on the critical path");
    browser.pointToTimeline(x, 5);
    browser.await("document.querySelector('#tip').hidden");
    assertThat(browser.text("#overview"))
        .contains("89% of it is waiting in queues", "queue waits, most: work\n890 ms\n89%");
    browser.assertNoComplaints();
  }

  @Test
  void numberOfErrors_leadsToTheSpansThatFailed() throws Exception {
    open(PlantedRun.steps());
    browser.click("#trouble td.bad button");
    browser.await("app.timeline.box.dataset.found === '1'");
    assertThat(browser.run("return app.filter.text()"))
        .isEqualTo("status:error name=worker.generate");
    assertThat(browser.text("#workers tbody")).contains("rank 1").doesNotContain("rank 0");
    browser.assertNoComplaints();
  }

  @Test
  void manyWorkers_leaveTheHeatMapInSight() throws Exception {
    open(CrowdedRun.planted(30, 4));
    String rows = "document.querySelector('#workers tbody').rows.length";
    assertThat(browser.number(rows)).isEqualTo(20);
    browser.click("#workers button.more");
    assertThat(browser.number(rows)).isGreaterThan(30);
    assertThat(browser.run("return document.activeElement.textContent")).isEqualTo("Show fewer");
    browser.click("#workers button.more");
    assertThat(browser.number(rows)).isEqualTo(20);
    browser.assertNoComplaints();
  }

  @Test
  void runOfOneInstant_hasABarInTheMiddle() throws Exception {
    Planted planted = new Planted();
    planted.span(1, 0, "pipeline_step", "driver@a", 0, 0);
    open(planted);
    browser.run("app.timeline.draw()");
    double left = browser.number("app.timeline.view.left");
    double right = browser.number("app.timeline.width");
    double x =
        browser.number(
            "app.timeline.view.left - app.timeline.view.from / (app.timeline.view.to - app.timeline.view.from) * (app.timeline.width - app.timeline.view.left)");
    assertThat(x).isBetween((left + right) / 2 - 10, (left + right) / 2 + 10);
    double y =
        browser.number(
            "40 + app.timeline.lanes.shown[0].top + app.timeline.lanes.shown[0].rows[0].top + 4");
    assertThat(
            browser.number(
                "Math.min(...app.timeline.canvas.getContext('2d').getImageData((%s - 1) * devicePixelRatio, %s * devicePixelRatio, 3 * devicePixelRatio, 1).data)"
                    .formatted(x, y)))
        .as("the darkest colour there")
        .isLessThan(190);
    browser.clickTimeline(x, y);
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details")).contains("pipeline_step", "0 ns");
    browser.assertNoComplaints();
  }

  @Test
  void timeline_isZoomedAndMovedByButtonsAndKeys() throws Exception {
    open(PlantedRun.steps());
    double whole = span();
    assertThat(rectangles()).isGreaterThan(50);
    browser.click("#zoom-in");
    awaitSpan(whole / 2);
    browser.run("document.querySelector('.lanes').focus()");
    browser.type("+");
    awaitSpan(whole / 4);
    double from = browser.number("document.querySelector('.lanes').dataset.from");
    browser.type(Keys.ARROW_RIGHT);
    browser.await("document.querySelector('.lanes').dataset.from > " + from);
    browser.type("0");
    awaitSpan(whole);
    browser.type("n", "n");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details h2")).isEqualTo("pipeline_step");
    browser.type("d");
    browser.await("document.querySelector('#details h2').textContent.trim() === 'generate'");
    browser.type("u", Keys.ENTER);
    browser.await("document.querySelector('#details h2').textContent.trim() === 'pipeline_step'");
    browser.await(
        "document.querySelector('.lanes').dataset.to - document.querySelector('.lanes').dataset.from < 2e8");
    browser.type(Keys.ESCAPE);
    browser.await("document.getElementById('details').hidden");
    browser.assertNoComplaints();
  }

  private double span() {
    return browser.number(
        "document.querySelector('.lanes').dataset.to - document.querySelector('.lanes').dataset.from");
  }

  private double rectangles() {
    return browser.number("document.querySelector('.lanes').dataset.rectangles");
  }

  private void awaitSpan(double nanos) {
    browser.await(
        "Math.abs(document.querySelector('.lanes').dataset.to - document.querySelector('.lanes').dataset.from - "
            + nanos
            + ") < 1000");
  }

  @Test
  void spanThatIsClicked_showsWhatIsKnownOfIt() throws Exception {
    open(PlantedRun.steps());
    // The lane of actor0 lies below the driver's two rows and its own label's margin.
    double x =
        browser.number(
            "app.timeline.view.left + 10 / 1313 * (app.timeline.width - app.timeline.view.left)");
    double y =
        browser.number(
            "40 + app.timeline.lanes.shown[1].top + app.timeline.lanes.shown[1].rows[0].top + 8");
    browser.clickTimeline(x, y);
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details"))
        .contains("worker.generate", "18.0 ms", "2.00 ms into the run", "actor actor0 · rank 0")
        .contains("batch.size\n128", "prompt\nan <b>attribute</b> of step 0")
        .contains("0".repeat(31) + "1");
    browser.click("#details header button");
    browser.await("document.getElementById('details').hidden");
    browser.click("#next-error");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details .reason")).isEqualTo("▲ out of memory");
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          train               | 12
          GENERATE            | 36
          out of memory       | 1
          "attribute</b> of step 11" | 1
          batch.size          | 12
          0000000000000000000000000000000a | 5
          nothing of the kind | 0
          """)
  void search_findsNamesAttributesErrorsAndIds(String wanted, int found) throws Exception {
    open(PlantedRun.steps());
    browser.find("input[type=search]").sendKeys(wanted);
    browser.await("document.querySelector('.lanes').dataset.found === '" + found + "'");
    if (found > 0) {
      browser.type(Keys.ENTER);
      browser.await("!document.getElementById('details').hidden");
      assertThat(browser.text(".found")).isEqualTo("1 of " + found);
    } else {
      assertThat(browser.text(".found")).startsWith("0 of ");
    }
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void bothThemes_canBeReadAndChanged(String theme) throws Exception {
    browser.prefer(theme);
    open(PlantedRun.steps());
    for (String now : theme.equals("light") ? List.of("light", "dark") : List.of("dark", "light")) {
      assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo(now);
      for (String text : List.of("ink", "dim", "accent", "error")) {
        for (String ground : List.of("card", "paper", "soft")) {
          assertThat(contrast(text, ground))
              .as("%s: %s on %s", now, text, ground)
              .isGreaterThan(4.5);
        }
      }
      assertThat(contrast("on-accent", "accent")).isGreaterThan(4.5);
      assertThat(
              browser.number(
                  "Math.min(...PALETTE.map((color) => contrastOf(color, textColorOn(color))))"))
          .as("names on the spans' colours")
          .isGreaterThan(4.5);
      browser.click("#theme");
    }
    browser.assertNoComplaints();
  }

  /** WCAG's ratio of two of the page's colours. */
  private double contrast(String text, String ground) {
    browser.run(
        """
        window.contrastOf = (a, b) => {
          const luminance = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
          const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
          return (x + 0.05) / (y + 0.05);
        };
        window.colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
        """);
    return browser.number("contrastOf(colorOf('" + text + "'), colorOf('" + ground + "'))");
  }

  @Test
  void phone_needsNoScrollingSideways() throws Exception {
    browser.resize(400, 800);
    open(PlantedRun.steps());
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(400);
    assertThat(browser.number("app.timeline.view.left"))
        .as("labels stand above the lanes")
        .isZero();
    browser.run("app.timeline.reveal(app.report.slowest[0].item)");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.number("document.getElementById('details').offsetWidth")).isEqualTo(400);
    assertThat(browser.number("document.getElementById('details').offsetHeight")).isLessThan(500);
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(400);
    browser.assertNoComplaints();
  }

  @Test
  void addressOfAPart_showsThatPart() throws Exception {
    open(PlantedRun.steps());
    browser.load("about:blank");
    browser.open(dir.resolve("page.html").toUri() + "#workers");
    browser.await("scrollY > 500");
    browser.assertNoComplaints();
  }

  @Test
  void hostileTrace_isShownAsText() throws Exception {
    List<String> texts =
        List.of(
            "</script><script>window.owned = 1</script>",
            "\"><img src=x onerror=window.owned=1>",
            "'\"`${window.owned=1}\\",
            "a\u2028b\u2029c\u202ed",
            "x".repeat(10_240),
            "<!--<script>",
            "__proto__",
            "");
    Planted planted = new Planted(texts.get(0)).inUnitsOf(MS);
    for (int i = 0; i < 2 * texts.size(); i++) {
      String text = texts.get(i % texts.size());
      String other = texts.get((i + 3) % texts.size());
      long step =
          planted.span(
              1 + i,
              0,
              "pipeline_step",
              "driver@" + other,
              20L * i,
              20L * i + 15,
              "global_step",
              text);
      planted.span(
          1 + i, step, text, "actor1@" + text, 20L * i, 20L * i + 9, text, other, "failure", other);
      planted.span(1 + i, step, text, other + "2@" + text, 20L * i, 20L * i + 8, other, text);
    }
    browser.open(
        PlantedRun.page(
            planted,
            ReportOptions.latestRun().withTraceUrl("javascript:window.owned=1//{span_id}")),
        dir.resolve("page.html"));
    assertThat(browser.text("#names"))
        .contains(texts.get(0), texts.get(1), texts.get(2), texts.get(5), "a\ufffdb\ufffdc\ufffdd");
    browser.run("app.timeline.nextError()");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details")).contains(texts.get(0), "▲ a\ufffdb");
    browser.run("app.timeline.select(0)");
    assertThat(browser.number("document.querySelectorAll('#details a').length")).isZero();
    assertThat(browser.run("return typeof window.owned")).isEqualTo("undefined");
    assertThat(browser.number("document.images.length + document.scripts.length")).isEqualTo(1);
    browser.assertNoComplaints();
  }

  @Test
  void template_linksASpanToTheViewer() throws Exception {
    ReportOptions options =
        ReportOptions.latestRun().withTraceUrl("https://jaeger/trace/{trace_id}?uiFind={span_id}");
    browser.open(PlantedRun.page(PlantedRun.steps(), options), dir.resolve("page.html"));
    browser.run("app.timeline.select(0)");
    browser.await("document.querySelector('#details a')");
    assertThat(browser.find("#details a").getDomAttribute("href"))
        .matches("https://jaeger/trace/0{30}[0-9a-f]{2}\\?uiFind=[0-9a-f]{16}");
    browser.assertNoComplaints();
  }

  /** Three runs of four steps, of which the second gains most and the third fails. */
  private static Planted agentRuns() {
    Planted planted = new Planted().inUnitsOf(MS);
    for (int i = 0; i < 3; i++) {
      String id = i == 0 ? "<b>run</b>" : "run-" + i;
      long at = 200L * i;
      long run =
          i < 2
              ? planted.span(
                  1 + i,
                  0,
                  "rlm.run",
                  "agent@a",
                  at,
                  at + 150,
                  "rlm.run_id",
                  id,
                  "rlm.completed",
                  true,
                  "rlm.total_reward",
                  2.0 + i)
              : planted.span(
                  1 + i,
                  0,
                  "rlm.run",
                  "agent@a",
                  at,
                  at + 150,
                  "rlm.run_id",
                  id,
                  "rlm.completed",
                  false,
                  "failure",
                  "lost");
      for (long step = 1; step <= 4; step++) {
        planted.span(
            1 + i,
            run,
            "rlm.step",
            "agent@a",
            at + 30 * step,
            at + 30 * step + 20,
            "rlm.run_id",
            id,
            "rlm.step",
            step,
            "rlm.action_type",
            "search",
            "rlm.reward",
            0.5,
            "rlm.cumulative_reward",
            0.5 * step,
            "rlm.success",
            true);
      }
    }
    return planted;
  }

  @Test
  void runsOfAnAgent_showTheirRewardsAndStepsLeadToTheTimeline() throws Exception {
    open(agentRuns());
    assertThat(browser.text("#runs"))
        .contains("3 runs, 2 completed, 1 failed: 12 steps, mean total reward 2.33 over all 3.")
        .contains("<b>run</b>", "✓ completed", "▲ failed");
    assertThat(browser.text("#run h3")).as("the best one at first").isEqualTo("run-1\n✓ completed");
    browser.click("#run-after");
    assertThat(browser.text("#run h3")).isEqualTo("run-2\n▲ failed");
    // The third step, in the row of steps below the curve.
    browser.clickCanvas("#run canvas", 60 + (90 + 10) / 150.0 * plot("#run canvas"), 170);
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details")).contains("rlm.step\n3", "rlm.run_id\nrun-2");
    browser.click("#details header button");
    browser.click("#run details summary");
    browser.await("document.querySelector('#run table')");
    assertThat(browser.text("#run table")).contains("Step 4, search", "2.00", "20.0 ms");
    browser.click("#run table tr:nth-child(1) button");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details")).contains("rlm.step\n1");
    browser.click("#details header button");
    browser.run("document.querySelector('#run canvas').focus()");
    browser.type(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER);
    browser.await(
        "document.querySelector('#details .attributes')?.textContent.includes('rlm.step2')");
    assertThat(browser.run("return document.querySelector('canvas.rewards').hidden"))
        .isEqualTo(false);
    browser.assertNoComplaints();
  }

  /**
   * The planted run, in which the driver has begun a thirteenth step, one worker has died in it,
   * and another has been warming up since before the first.
   */
  private HtmlPage pageWithOpenSpans() {
    Planted planted = PlantedRun.steps();
    planted.span(13, 2001, "score", "driver@a", 1330, 1360, "roll.recovered", true);
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    planted.spans().forEach(spans::add);
    OpenSpans open =
        new OpenSpans(
            List.of(
                planted.recording(
                    "driver@a",
                    true,
                    1700,
                    planted.open(13, 2002, 2001, "generate", 1330),
                    planted.open(13, 2001, 0, "pipeline_step", 1320)),
                planted.recording(
                    "actor1@b",
                    false,
                    1500,
                    planted.open(13, 2003, 2002, "worker.<i>hang</i>", 1335)),
                planted.recording(
                    "actor7@c", true, 1700, planted.open(99, 2004, 0, "warm.up", -200))));
    return HtmlPage.of(spans, open, ReportOptions.latestRun());
  }

  @Test
  void openSpans_areBarsWithATornEndAndATable() throws Exception {
    browser.open(pageWithOpenSpans(), dir.resolve("page.html"));
    assertThat(browser.text("#open"))
        .contains("4 spans have begun and not ended, on 3 processes, of which one has died.")
        .contains("pipeline_step 380 ms driver driver ❯ pid 4711, alive 23")
        .contains("worker.<i>hang</i> 165 ms actor actor1 · rank 1 ✕ pid 4711, dead; last sign of")
        .contains("warm.up 1.90 s actor actor7 · rank 7");
    assertThat(browser.text("#overview"))
        .contains("took 1.36 s", "✕ actor actor1 · rank 1 died in worker.<i>hang</i>.")
        .doesNotContain("not in the file");
    assertThat(browser.number("app.timeline.view.from")).isEqualTo(-200e6);
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(4);
    browser.click("#open tr:nth-child(1) button");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details"))
        .contains("worker.<i>hang</i>", "Open for\n165 ms", "✕ pid 4711, dead; last sign of life")
        .contains("Thread\n23", "0".repeat(30) + "0d", "They come with the end of a span.");
    browser.run("document.querySelector('.lanes').focus()");
    browser.type("u");
    browser.await("document.querySelector('#details h2').textContent.trim() === 'generate'");
    browser.type("u", "d");
    browser.await("document.querySelector('#details h2').textContent.trim() === 'score'");
    assertThat(browser.text("#details")).contains("out of the recorder of a process that died");
    browser.type(Keys.ESCAPE);
    double x =
        browser.number(
            "app.timeline.view.left + 0.5 * (app.timeline.width - app.timeline.view.left)");
    browser.run("app.timeline.fit(); app.timeline.draw()");
    double y =
        browser.number(
            "40 + app.timeline.lanes.shown[3].top + app.timeline.lanes.shown[3].rows[0].top + 8");
    browser.clickTimeline(x, y);
    browser.await("document.querySelector('#details h2').textContent.trim() === 'warm.up'");
    browser.find("input[type=search]").sendKeys("warm.up");
    browser.await("document.querySelector('.lanes').dataset.found === '1'");
    browser.assertNoComplaints();
  }

  @Test
  void aliveOpenSpans_growOlderWhileNothingElseHappens() throws Exception {
    browser.open(pageWithOpenSpans(), dir.resolve("page.html"));
    browser.run("growOpen(60e9)");
    browser.await("Number(document.querySelector('.lanes').dataset.to) > 61e9");
    assertThat(browser.text("#open"))
        .contains("pipeline_step 1m 00s", "worker.<i>hang</i> 165 ms", "warm.up 1m 02s");
    browser.assertNoComplaints();
  }

  private double plot(String canvas) {
    return browser.number("document.querySelector('" + canvas + "').clientWidth") - 64;
  }

  @Test
  void runWithoutAgents_hasNoSuchSection() throws Exception {
    open(PlantedRun.steps());
    assertThat(browser.find("#runs").isDisplayed()).isFalse();
    assertThat(browser.find("#nav-runs").isDisplayed()).isFalse();
    assertThat(browser.find("canvas.rewards").isDisplayed()).isFalse();
  }

  /** docs/report.md has the times on a quiet machine; this test checks what noise cannot change. */
  @Test
  void millionSpans_openInAFileOfTwentyMegabytes() throws Exception {
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    addMillion(spans);
    Path file =
        browser.open(HtmlPage.of(spans, ReportOptions.latestRun()), dir.resolve("page.html"));
    assertThat(Files.size(file)).isLessThan(20_000_000);
    assertThat(browser.number("app.model.items")).isEqualTo(1_000_000);
    assertThat(rectangles()).isBetween(50.0, 60_000.0);
    double slowest = 0;
    for (int zoom = 0; zoom < 20; zoom++) {
      browser.run("app.timeline.zoom(0.5); app.timeline.draw()");
      assertThat(rectangles()).isLessThan(60_000.0);
      slowest =
          Math.max(slowest, browser.number("document.querySelector('.lanes').dataset.millis"));
    }
    assertThat(browser.number("app.timeline.view.to - app.timeline.view.from")).isLessThan(1e9);
    double slowestWithPauses = zoomOutOverPauses();
    double trace =
        browser.number(
            "(() => { const from = performance.now(); app.trace.open(app.report.steps.bars[7].item); return performance.now() - from; })()");
    assertThat(browser.number("document.querySelector('.waterfall').dataset.rows")).isEqualTo(100);
    double range =
        browser.number(
            "(() => { const { timeline } = app; timeline.range.statisticsOf(app.model); const from = performance.now(); timeline.range.select([app.model.wall / 7, app.model.wall]); return performance.now() - from; })()");
    assertThat(browser.text("#range")).contains("of 17 lanes had one");
    assertThat(browser.number("app.report.calls.paths.length")).isEqualTo(13);
    browser.assertNoComplaints();
    System.out.printf(
        "A page of a million spans: %.1f MB, ready after %.0f ms, the slowest of 20 zooms %.0f ms, with pauses %.0f ms, a trace %.0f ms, a range %.0f ms%n",
        Files.size(file) / 1e6,
        browser.number("performance.getEntriesByName('ready')[0].startTime"),
        slowest,
        slowestWithPauses,
        trace,
        range);
  }

  /** As many pauses as a page has at most. */
  private double zoomOutOverPauses() {
    browser.run(
        """
        const { model, timeline } = app;
        const each = Math.floor(20000 / model.report.workers.length);
        model.report.workers.forEach((_, worker) => {
          const start = Float64Array.from({ length: each }, (_, i) => (i + (worker % 7) / 7) * model.wall / each);
          model.pauses.byWorker.set(worker, {
            start, end: start.map((nanos, i) => nanos + (i % 9 === 0 ? 40e6 : 1e6)),
            activity: new Uint8Array(each).map((_, i) => (i % 5 === 0 ? 7 : 6)), reason: new Uint16Array(each),
          });
        });
        timeline.layout();
        """);
    double slowest = 0;
    for (int zoom = 0; zoom < 20; zoom++) {
      browser.run("app.timeline.zoom(2); app.timeline.draw()");
      assertThat(rectangles()).isLessThan(80_000.0);
      slowest =
          Math.max(slowest, browser.number("document.querySelector('.lanes').dataset.millis"));
    }
    return slowest;
  }

  static void addMillion(Spans spans) {
    Resource[] processes = new Resource[17];
    for (int i = 0; i < processes.length; i++) {
      processes[i] =
          new Resource(
              Map.of(
                  "service.name",
                  i == 0 ? "driver" : "actor",
                  "service.instance.id",
                  "p" + i,
                  "roll.rank",
                  "" + i,
                  "roll.run_id",
                  "million"));
    }
    long id = 0;
    for (int step = 0; step < 10_000; step++) {
      String trace = String.format("%016x%016x", step * 0x9e3779b97f4a7c15L, step + 1L);
      long at = Planted.START + step * 100 * MS;
      long root = ++id;
      spans.add(span(trace, root, 0, "pipeline_step", at, at + 99 * MS, processes[0], step));
      for (int call = 0; call < 99; call++) {
        long begin = at + 1000 * (call * 900 + step * 7919L % 700);
        long length = 300_000 + (id * 0x9e3779b97f4a7c15L >>> 45);
        Resource process = processes[1 + call % 16];
        spans.add(
            span(trace, ++id, root, "call." + call % 12, begin, begin + length, process, step));
      }
    }
  }

  private static Span span(
      String trace,
      long id,
      long parent,
      String name,
      long start,
      long end,
      Resource on,
      int step) {
    return new Span(
        trace,
        String.format("%016x", id * 0x9e3779b97f4a7c15L),
        parent == 0 ? "" : String.format("%016x", parent * 0x9e3779b97f4a7c15L),
        name,
        1,
        start,
        end,
        Map.of("code.function.name", "com.example.Worker.call", "batch", (long) step),
        0,
        on,
        "",
        "");
  }

  @Test
  void runThatIsOn_isFollowedWithoutLoadingThePageAgain() throws Exception {
    try (EmbeddedCollector collector =
        EmbeddedCollector.start(dir.toFile(), "5ecret", CollectorSettings.ofDriver(), line -> {})) {
      browser.load(collector.endpoint() + "/");
      browser.await("document.getElementById('wait').textContent.startsWith('No span')");
      write("first", 1);
      browser.await("document.body.dataset.ready === 'true'");
      assertThat(browser.text("#names")).contains("first");
      browser.run("window.isTheSamePage = true");
      write("second", 2);
      browser.await("document.getElementById('names').textContent.includes('second')");
      assertThat(browser.run("return window.isTheSamePage")).isEqualTo(true);
      assertThat(browser.text("#live")).isEqualTo("Live");
    }
    browser.await("document.getElementById('live').classList.contains('lost')");
    assertThat(browser.text("#names")).contains("first", "second");
  }

  private void write(String name, int id) throws Exception {
    long start = Planted.START + id * MS;
    byte[] request = Requests.of(List.of(Requests.span(id, id, 0, name, start, MS)));
    PlantedFile.write(dir.resolve("traces").resolve(name + ".jsonl"), request);
  }
}
