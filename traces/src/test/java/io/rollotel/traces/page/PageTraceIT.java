package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/**
 * One trace as a waterfall, and the address that holds the state of the view, in a real browser.
 */
class PageTraceIT extends BrowserTest {

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private String rows() {
    return (String)
        browser.run(
            """
            return [...document.querySelectorAll('.waterfall .call')]
              .map((row) => row.getAttribute('aria-level') + ' ' + row.getAttribute('aria-label')).join('\\n');
            """);
  }

  private void awaitRows(int rows) {
    browser.await("document.querySelector('.waterfall').dataset.rows === '" + rows + "'");
  }

  private void awaitDetails(String name) {
    browser.await(
        "!document.getElementById('details').hidden && document.querySelector('#details h2').textContent.trim() === '"
            + name
            + "'");
  }

  private void awaitAddress(String part) {
    browser.await("location.hash.includes('" + part + "')");
  }

  @Test
  void spanThatIsClicked_leadsToItsTrace() throws Exception {
    open(PlantedRun.steps());
    browser.click("#next-error");
    awaitDetails("worker.generate");
    browser.click("#show-trace");
    awaitRows(5);
    assertThat(rows())
        .isEqualTo(
            """
            1 pipeline_step, 100 ms, after 0 ns, on driver driver, on the critical path
            2 generate, 60.0 ms, after 0 ns, on driver driver, on the critical path
            3 worker.generate, 56.0 ms, after 2.00 ms, on actor actor1 · rank 1, error, on the critical path
            3 worker.generate, 18.0 ms, after 2.00 ms, on actor actor0 · rank 0
            2 train, 30.0 ms, after 60.0 ms, on driver driver, on the critical path""");
    assertThat(browser.text("#trace"))
        .contains("Trace of pipeline_step", "5 rows · 3 processes · 100 ms · ▲ 1 error");
    assertThat(browser.text("#trace .call.heads")).contains("Span", "Process", "Start", "Took");
    assertThat(
            browser.number(
                "document.querySelector('.waterfall').getBoundingClientRect().top"
                    + " - document.querySelector('#trace .call.heads').getBoundingClientRect().bottom"))
        .as("the heads are right above the rows")
        .isBetween(-1.0, 12.0);
    assertThat(browser.text("#details .reason")).isEqualTo("▲ out of memory");
    assertThat(browser.find("#nav-trace").isDisplayed()).isTrue();
    browser.click("#trace-path");
    awaitRows(4);
    assertThat(rows()).doesNotContain("actor0");
    browser.click("#trace-close");
    assertThat(browser.find("#trace").isDisplayed()).isFalse();
    assertThat(browser.find("#nav-trace").isDisplayed()).isFalse();
    browser.assertNoComplaints();
  }

  @Test
  void slowestSpans_leadToTheirTraces() throws Exception {
    open(PlantedRun.steps());
    browser.click("#trouble button[aria-label='Show the trace of generate']");
    awaitRows(5);
    awaitDetails("generate");
    browser.assertNoComplaints();
  }

  @Test
  void waterfall_isWalkedFoldedAndZoomedByKeys() throws Exception {
    open(PlantedRun.steps());
    browser.run("app.trace.open(app.report.steps.bars[2].item)");
    awaitDetails("pipeline_step");
    browser.type(Keys.ARROW_DOWN);
    awaitDetails("generate");
    browser.type(Keys.ARROW_LEFT);
    awaitRows(3);
    assertThat(browser.text(".waterfall")).contains("▸", "+2");
    browser.type(Keys.ARROW_RIGHT);
    awaitRows(5);
    browser.type(Keys.END);
    awaitDetails("train");
    browser.type(Keys.ENTER);
    browser.await("app.trace.to - app.trace.from < 40e6");
    browser.type("0");
    browser.await("app.trace.to - app.trace.from === 100e6");
    browser.type(Keys.ARROW_LEFT);
    awaitDetails("pipeline_step");
    browser.type(Keys.ESCAPE);
    browser.await("document.getElementById('details').hidden");
    browser.click("#trace-collapse");
    awaitRows(3);
    browser.find("#trace input").sendKeys("batch.size");
    browser.await("document.querySelector('.waterfall').dataset.found === '1'");
    browser.type(Keys.ENTER);
    awaitDetails("worker.generate");
    awaitRows(5);
    browser.run("document.querySelector('.waterfall .fold').click()");
    awaitRows(1);
    browser.assertNoComplaints();
  }

  @Test
  void address_showsTheSameWhenItIsOpenedAgain() throws Exception {
    open(PlantedRun.steps());
    browser.click("#next-error");
    awaitDetails("worker.generate");
    browser.run("app.timeline.togglePath()");
    browser.find("#timeline input[type=search]").sendKeys("gen & <i>");
    awaitAddress("find=gen");
    browser.click("#show-trace");
    browser.run("app.trace.zoom(0.5)");
    awaitAddress("tracezoom=");
    String seen = seen();
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    browser.await("!document.getElementById('details').hidden");
    browser.await("app.timeline.box.dataset.found");
    assertThat(seen()).isEqualTo(seen);
    assertThat(browser.number("document.querySelector('#trace').getBoundingClientRect().top"))
        .isBetween(0.0, 400.0);
    browser.assertNoComplaints();
  }

  /** Zoom, selection and filter of both views. */
  private String seen() {
    return (String)
        browser.run(
            """
            const { from, to, selected, isPathAlone } = app.timeline.view;
            return JSON.stringify([app.filter.filter, Math.round(from), Math.round(to), selected, isPathAlone,
              app.trace.id, Math.round(app.trace.from || 0), Math.round(app.trace.to || 0), app.address.part]);
            """);
  }

  @Test
  void backAndForward_goFromViewToView() throws Exception {
    open(PlantedRun.steps());
    browser.click("#next-error");
    awaitAddress("span=");
    String first = seen();
    browser.click("#show-trace");
    awaitAddress("trace=");
    String second = seen();
    browser.click("nav a[href='#workers']");
    awaitAddress("#workers?");
    browser.run("history.back()");
    browser.await("app.address.part === 'trace'");
    assertThat(seen()).isEqualTo(second);
    browser.run("history.back()");
    browser.await("app.address.part === 'timeline' && app.trace.id === ''");
    browser.await("app.timeline.view.selectedId");
    assertThat(seen().replaceAll(",\"\",\\d+,\\d+", "")).isEqualTo(first.replace(",\"\",0,0", ""));
    assertThat(browser.find("#trace").isDisplayed()).isFalse();
    browser.run("history.forward()");
    browser.await("app.address.part === 'trace' && app.trace.id !== ''");
    assertThat(seen()).isEqualTo(second);
    browser.assertNoComplaints();
  }

  @Test
  void addressOfWhatIsNotThere_showsTheReport() throws Exception {
    open(PlantedRun.steps());
    browser.load("about:blank");
    browser.open(
        dir.resolve("page.html").toUri()
            + "#nowhere?zoom=9..1&trace=zz&span=@77777&calls={}&took=a..b&name=%3Cb%3E");
    browser.await("document.body.dataset.address");
    assertThat(browser.text("#overview")).contains("Where the time of this run went");
    assertThat(browser.find("#trace").isDisplayed()).isFalse();
    assertThat(browser.find("#details").isDisplayed()).isFalse();
    assertThat(browser.text("#timeline .found")).startsWith("0 of ");
    browser.assertNoComplaints();
  }

  @Test
  void largeTrace_hasOnlyTheRowsThatAreSeen() throws Exception {
    Planted planted = new Planted();
    long root = planted.span(1, 0, "job", "d@a", 0, 60_000_000);
    for (int i = 0; i < 3000; i++) {
      long call = planted.span(1, root, "call", "d@a", 20_000L * i, 20_000L * i + 15_000);
      for (int j = 0; j < 9; j++) {
        planted.span(1, call, "part", "w" + j + "@a", 20_000L * i + j, 20_000L * i + 900 + j);
      }
    }
    open(planted);
    browser.run("app.trace.open(app.report.slowest[0].item)");
    awaitRows(30_001);
    assertThat(browser.number("document.querySelectorAll('.waterfall .call').length"))
        .isLessThan(80);
    browser.type(Keys.END);
    awaitDetails("part");
    browser.type(Keys.ARROW_LEFT);
    awaitDetails("call");
    assertThat(rows()).contains("call, 15.0 µs, after 60.0 ms");
    browser.assertNoComplaints();
  }

  @Test
  void hostileNames_areTextInTheWaterfall() throws Exception {
    Planted planted = new Planted();
    String name = "<img src=x onerror=window.owned=1>\u202e";
    long root = planted.span(1, 0, name, "d@" + name, 0, 100);
    planted.span(1, root, "b".repeat(5000), "d@a", 0, 90, name, name);
    open(planted);
    browser.run("app.trace.open(app.report.slowest[0].item)");
    awaitRows(2);
    assertThat(browser.text("#trace"))
        .contains("<img src=x onerror=window.owned=1>\ufffd", "b".repeat(150));
    assertThat(browser.run("return typeof window.owned")).isEqualTo("undefined");
    assertThat(browser.number("document.images.length")).isZero();
    browser.assertNoComplaints();
  }

  @Test
  void phone_showsTheWaterfallWithoutScrollingSideways() throws Exception {
    browser.resize(390, 800);
    open(PlantedRun.steps());
    browser.run("app.trace.open(app.report.steps.bars[4].item)");
    awaitRows(5);
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
    assertThat(browser.number("document.querySelector('.waterfall .track').offsetWidth"))
        .isGreaterThan(120);
    browser.assertNoComplaints();
  }
}
