package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The icicle of call paths and the histograms of durations, in a real browser. */
class PageCallsIT extends BrowserTest {

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private void awaitFound(int found) {
    browser.await("document.querySelector('.lanes').dataset.found === '" + found + "'");
  }

  private String block(String name) {
    return ".icicle button[aria-label^='" + name + "']";
  }

  private double width(String name) {
    return browser.number("document.querySelector(\"" + block(name) + "\").offsetWidth");
  }

  @Test
  void paths_areAsWideAsTheirWorkAndFindTheirSpans() throws Exception {
    open(PlantedRun.steps());
    assertThat(browser.number("document.querySelectorAll('.icicle button').length")).isEqualTo(5);
    // Of a step of 100 ms its phases take 60 and 30; two workers play for 74 ms in all.
    double all = width("All calls");
    assertThat(width("worker.generate") / all).isBetween(0.60, 0.70);
    assertThat(width("train") / all).isBetween(0.22, 0.30);
    browser.click(block("worker.generate"));
    awaitFound(24);
    assertThat(browser.text("#timeline .found")).isEqualTo("24 of 60 spans");
    assertThat(browser.text("#calls"))
        .contains("worker.generate, called by generate, by pipeline_step: 24 calls, 888 ms in all")
        .contains("▲ 1 error");
    assertThat(width("worker.generate")).isEqualTo(all);
    assertThat(browser.number("document.querySelectorAll('.icicle button').length")).isEqualTo(4);
    browser.await("location.hash.includes('icicle=')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    awaitFound(24);
    assertThat(width("worker.generate")).isEqualTo(width("All calls"));
    browser.click(block("All calls"));
    awaitFound(0);
    assertThat(browser.number("document.querySelectorAll('.icicle button').length")).isEqualTo(5);
    browser.click("#calls summary");
    assertThat(browser.text("#calls table"))
        .contains("pipeline_step › generate › worker.generate\n24 888 ms 888 ms");
    browser.click("#calls tr:nth-child(1) button");
    awaitFound(24);
    browser.assertNoComplaints();
  }

  @Test
  void paths_areWalkedByKeys() throws Exception {
    open(PlantedRun.steps());
    browser.run("document.querySelector('.icicle [tabindex=\"0\"]').focus()");
    browser.type(Keys.ARROW_DOWN, Keys.ARROW_DOWN);
    assertThat(browser.text("#calls .hint")).startsWith("generate, called by pipeline_step:");
    browser.type(Keys.ARROW_RIGHT);
    assertThat(browser.text("#calls .hint")).startsWith("train, called by pipeline_step:");
    browser.type(Keys.ENTER);
    awaitFound(12);
    assertThat(width("train")).isEqualTo(width("All calls"));
    browser.type(Keys.ESCAPE);
    awaitFound(0);
    browser.type(Keys.ARROW_DOWN);
    assertThat(browser.text("#calls .hint")).startsWith("pipeline_step: 12 calls");
    browser.assertNoComplaints();
  }

  private void choose(String select, String value) {
    browser.run(
        "const one = document.querySelector(arguments[0]); one.value = arguments[1]; one.dispatchEvent(new Event('change'))",
        select,
        value);
  }

  @Test
  void paths_areThoseOfSomeStepsOrOfAWorker() throws Exception {
    open(PlantedRun.steps());
    choose("#calls-of", "steps");
    choose("#calls-from", "4");
    choose("#calls-to", "5");
    browser.await(
        "document.querySelector('#calls .hint[role=status]').textContent.includes('to step 12')");
    assertThat(browser.text("#calls .hint[role=status]"))
        .isEqualTo("All calls in step 11 to step 12: 236 ms of work, of all workers added up.");
    browser.click(block("worker.generate"));
    awaitFound(24);
    assertThat(browser.text("#calls")).contains("4 calls, 148 ms in all").contains("▲ 1 error");
    assertThat(browser.number("app.timeline.view.from / 1e6")).isEqualTo(440);
    browser.await("location.hash.includes('callsof=') && location.hash.includes('icicle=')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    browser.await("document.querySelector('.icicle').dataset.of === 'steps'");
    assertThat(browser.text("#calls")).contains("4 calls, 148 ms in all");
    choose("#calls-of", "worker");
    choose("#calls-worker", "0");
    browser.await("document.querySelector('.icicle').dataset.of === 'worker'");
    browser.click(block("All calls"));
    assertThat(browser.text("#calls .hint[role=status]"))
        .isEqualTo("All calls of actor · rank 0: 216 ms of work.");
    assertThat(browser.number("document.querySelectorAll('.icicle button').length")).isEqualTo(4);
    choose("#calls-of", "all");
    browser.await("document.querySelector('.icicle').dataset.of === 'all'");
    assertThat(browser.number("document.querySelectorAll('.icicle button').length")).isEqualTo(5);
    browser.assertNoComplaints();
  }

  @Test
  void choiceOfStepsAndWorkers_isOffWithAWordWhereThereIsNoRoomForIt() throws Exception {
    open(PlantedRun.steps());
    browser.run("app.report.calls.bySteps = ''; app.calls.show()");
    assertThat(browser.text("#calls"))
        .contains("By steps there are too many paths for this page.")
        .doesNotContain("By workers");
    assertThat(browser.number("document.querySelector('#calls-of').options.length")).isEqualTo(2);
    browser.run("app.report.calls.byWorkers = ''; app.calls.show()");
    assertThat(browser.text("#calls")).contains("By workers there are too many paths");
    assertThat(browser.find("#calls-of").isDisplayed()).isFalse();
    browser.assertNoComplaints();
  }

  @Test
  void durationsByStep_leadToTheSlowestSpans() throws Exception {
    open(PlantedRun.steps());
    browser.click("button[aria-label='Durations of worker.generate']");
    assertThat(browser.number("document.querySelector('.percentiles canvas').dataset.slices"))
        .isEqualTo(12);
    browser.run("document.querySelector('.percentiles canvas').focus()");
    browser.type(Keys.END, Keys.ARROW_LEFT);
    assertThat(browser.text(".percentiles [role=status]"))
        .isEqualTo("Step 17: 2 spans, p50 18.0 ms, p95 56.0 ms, the longest 56.0 ms.");
    browser.type(Keys.ENTER);
    browser.await("app.timeline.view.selected >= 0");
    assertThat(browser.number("app.model.start[app.timeline.view.selected] / 1e6")).isEqualTo(1102);
    browser.run("app.timeline.select(-1)");
    browser.run(
        """
        const chart = app.names.chart.percentiles;
        const box = chart.canvas.getBoundingClientRect();
        const { slice, nanos } = chart.slowest[3];
        chart.canvas.dispatchEvent(new MouseEvent('click', { clientX: box.left + chart.x(slice), clientY: box.top + chart.scale().y(nanos) }));
        """);
    browser.await("app.timeline.view.selected >= 0");
    assertThat(
            browser.number(
                "app.timeline.view.selected - app.names.chart.percentiles.slowest[3].item"))
        .isZero();
    browser.assertNoComplaints();
  }

  @Test
  void durationsOfARunWithoutSteps_areOverTime() throws Exception {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int i = 0; i < 100; i++) {
      planted.span(1 + i, 0, "job", "w" + i % 3 + "@a", 100L * i, 100L * i + 10 + i);
    }
    open(planted);
    browser.click("button[aria-label='Durations of job']");
    assertThat(browser.text(".percentiles")).startsWith("Over time: ");
    browser.run("document.querySelector('.percentiles canvas').focus()");
    browser.type(Keys.HOME);
    assertThat(browser.text(".percentiles [role=status]"))
        .startsWith("Begun from 0 ns to 167 ms: ");
    browser.assertNoComplaints();
  }

  @Test
  void histogram_showsDurationsAndFindsTheSpansOfAClass() throws Exception {
    open(PlantedRun.steps());
    browser.click("button[aria-label='Durations of worker.generate']");
    assertThat(browser.text(".durations")).contains("p50 18.0 ms, p95 56.0 ms, p99 56.0 ms");
    assertThat(browser.find(".durations canvas").getDomAttribute("aria-label"))
        .contains("the median is 18.0 ms");
    browser.await("location.hash.includes('durations=worker.generate')");
    browser.run("document.querySelector('.durations canvas').focus()");
    browser.type(Keys.END);
    browser.await("!document.querySelector('#tip').hidden");
    assertThat(browser.text("#tip")).isEqualTo("47.5 ms to 56.4 ms\n12 spans");
    browser.type(Keys.ENTER);
    awaitFound(12);
    assertThat(browser.run("return app.timeline.search.value"))
        .isEqualTo("name=worker.generate dur>=47453133ns dur<56431604ns");
    browser.await("location.hash.includes('find=name')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    awaitFound(12);
    assertThat(browser.find(".durations canvas").isDisplayed()).isTrue();
    browser.click("button[aria-label='Durations of worker.generate']");
    assertThat(browser.number("document.querySelectorAll('.durations').length")).isZero();
    browser.assertNoComplaints();
  }

  @Test
  void phone_showsBothWithoutScrollingSideways() throws Exception {
    browser.resize(390, 800);
    open(PlantedRun.steps());
    browser.run("document.querySelector('[data-durations=generate]').click()");
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
    assertThat(browser.number("document.querySelector('.durations canvas').offsetWidth"))
        .isBetween(280.0, 360.0);
    browser.click(block("generate"));
    awaitFound(12);
    browser.assertNoComplaints();
  }
}
