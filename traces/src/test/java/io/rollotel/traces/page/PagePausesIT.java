package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.ReportOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** The profile of single moments and spans, in a real browser. */
class PagePausesIT extends BrowserTest {

  private void open() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.slowByGarbage(run);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  /** Zooms to the longest pause of the second lane, and gives where its middle is drawn. */
  private double[] longest() {
    browser.run(
        """
        const group = app.timeline.lanes.shown[1];
        const { start, end } = app.model.pauses.byWorker.get(group.worker);
        let i = 0;
        for (let one = 1; one < start.length; one++) if (end[one] - start[one] > end[i] - start[i]) i = one;
        const nanos = end[i] - start[i];
        app.timeline.set(start[i] - nanos, end[i] + nanos);
        app.timeline.draw();
        window.longest = { group, i, at: (start[i] + end[i]) / 2 };
        """);
    return new double[] {
      browser.number(
          "app.timeline.view.left + (longest.at - app.timeline.view.from) / (app.timeline.view.to - app.timeline.view.from) * (app.timeline.width - app.timeline.view.left)"),
      browser.number(
          "RULER + longest.group.top + longest.group.marksTop + 4 - app.timeline.view.top")
    };
  }

  /** What the canvas shows there. */
  private String color(double x, double y) {
    return (String)
        browser.run(
            """
            const one = document.createElement('canvas').getContext('2d');
            one.drawImage(app.timeline.canvas, -Math.round(arguments[0]), -Math.round(arguments[1]));
            return '#' + [...one.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part.toString(16).padStart(2, '0')).join('');
            """,
            x,
            y);
  }

  @Test
  void pause_isAMarkAboveItsLaneThatSaysWhatItIs() throws Exception {
    open();
    assertThat(browser.text("#pause-legend")).contains("where its process stood still", "GC pause");
    double[] at = longest();
    assertThat(color(at[0], at[1]))
        .isEqualTo(
            browser.run(
                "return ACTIVITY_COLORS[app.model.pauses.byWorker.get(longest.group.worker).activity[longest.i]]"));
    browser.pointToTimeline(at[0], at[1]);
    browser.await("!document.querySelector('#tip').hidden");
    assertThat(browser.text("#tip"))
        .matches("(GC pause|safepoint), [0-9.]+ .?s, [0-9.]+ .?s into the step( \\(\\w+\\))?");
    browser.assertNoComplaints();
  }

  /** A quarter of one pixel's time in ten pauses, and all of another's. */
  @Test
  void pausesWithinAPixel_areOneMarkAsHighAsTheirShare() throws Exception {
    open();
    browser.run(
        """
        const { timeline, model } = app;
        const group = timeline.lanes.shown[1];
        const pixel = (timeline.view.to - timeline.view.from) / (timeline.width - timeline.view.left);
        const start = new Float64Array(20);
        const end = new Float64Array(20);
        for (let i = 0; i < 20; i++) {
          start[i] = timeline.view.from + pixel * ((i < 10 ? 100 : 200) + (i % 10) / 10);
          end[i] = start[i] + pixel * (i < 10 ? 0.024 : 0.0999);
        }
        model.pauses.byWorker = new Map([[group.worker, { start, end, activity: new Uint8Array(20).fill(6), reason: new Uint16Array(20) }]]);
        timeline.draw();
        window.strip = RULER + group.top + group.marksTop - timeline.view.top;
        """);
    double left = browser.number("app.timeline.view.left");
    double top = browser.number("strip");
    assertThat(color(left + 100, top + 7)).isEqualTo("#d8762a");
    assertThat(color(left + 100, top + 4)).isNotEqualTo("#d8762a");
    assertThat(color(left + 200, top + 7)).isEqualTo("#d8762a");
    assertThat(color(left + 200, top + 1)).isEqualTo("#d8762a");
    assertThat(color(left + 202, top + 7)).isNotEqualTo("#d8762a");
    browser.pointToTimeline(left + 100, top + 4);
    browser.await("!document.querySelector('#tip').hidden");
    assertThat(browser.text("#tip")).matches("\\d+ GC pauses, .+ together, the first .+");
    browser.assertNoComplaints();
  }

  @Test
  void pausesThatAreLeftOut_areCounted() throws Exception {
    open();
    assertThat(browser.text("#pause-legend")).doesNotContain("longest of");
    assertThat(
            browser.run(
                "Object.assign(app.report.pauses, { count: 20000, leftOut: 1500 }); return app.model.pauses.legend().textContent"))
        .asString()
        .endsWith("The 20,000 longest of 21,500 pauses.");
  }

  @Test
  void keys_goFromPauseToPause() throws Exception {
    open();
    browser.run("document.querySelector('.lanes').focus()");
    browser.type("g");
    browser.await("app.timeline.view.pause");
    String first = browser.text("#timeline .hint[role=status]");
    assertThat(first).matches(".+: (GC pause|safepoint), .*");
    browser.type("g", "g");
    browser.type(Keys.chord(Keys.SHIFT, "g"));
    browser.await("app.timeline.view.pause");
    assertThat(browser.text("#timeline .hint[role=status]")).isNotEqualTo(first);
    browser.type(Keys.ESCAPE);
    browser.await("!app.timeline.view.pause");
    browser.assertNoComplaints();
  }

  @Test
  void switchInTheTools_takesTheMarksAway() throws Exception {
    open();
    double[] at = longest();
    double height = browser.number("app.timeline.lanes.total");
    browser.click("#pauses");
    browser.await("location.hash.includes('pauses=off')");
    browser.run("app.timeline.draw()");
    assertThat(browser.number("app.timeline.lanes.total")).isLessThanOrEqualTo(height);
    assertThat(color(at[0], at[1])).isNotIn("#d8762a", "#a8577e");
    assertThat(browser.find("#pause-legend").isDisplayed()).isFalse();
    browser.run("history.back()");
    browser.await("app.timeline.view.arePausesShown");
    browser.assertNoComplaints();
  }

  @Test
  void runWithoutAProfile_hasNoMarksAndNoSwitch() throws Exception {
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    assertThat(browser.number("document.querySelectorAll('#pauses, #pause-legend').length"))
        .isZero();
    browser.run("document.querySelector('.lanes').focus()");
    browser.type("g");
    browser.run("app.timeline.select(0)");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.number("document.querySelectorAll('#details .why-span').length")).isZero();
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"390, light", "390, dark", "1440, light", "1440, dark", "2560, light"})
  void marksAndReasons_fit(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    open();
    selectCollector();
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
    browser.assertNoComplaints();
  }

  /** Selects a span of the worker that collects garbage. */
  private void selectCollector() {
    browser.run(
        """
        const { model } = app;
        const worker = model.report.workers.findIndex((one) => one.instance === 'actor1');
        const row = model.rows.find((one) => one.worker === worker);
        app.timeline.select(row.first + 2);
        """);
    browser.await(
        "document.getElementById('details').dataset.item === String(app.timeline.view.selected)");
  }

  @Test
  void spanThatIsSelected_saysWhy() throws Exception {
    open();
    selectCollector();
    assertThat(browser.text("#details .why-span"))
        .startsWith("Why")
        .contains("% GC pauses")
        .containsPattern("[0-9.]+ ms more in GC pauses than the other\\.");
    browser.click("#details .why-span a");
    browser.await("location.hash.startsWith('#why')");
    assertThat(
            browser.run(
                "return document.querySelector(\"#why [aria-label='Spans']\").selectedOptions[0].textContent"))
        .isEqualTo("generate");
    assertThat(
            (String)
                browser.run(
                    "return document.querySelector(\"#why [aria-label='Worker']\").selectedOptions[0].textContent"))
        .contains("actor1");
    browser.assertNoComplaints();
  }

  @Test
  void spanWithoutABreakdown_saysThatThePageHasNone() throws Exception {
    open();
    browser.run("app.model.breakdowns.clear()");
    selectCollector();
    assertThat(browser.text("#details .why-span"))
        .contains(
            "No breakdown in this page: it holds those of the 5,000 spans with the most time of their own.");
    browser.assertNoComplaints();
  }
}
