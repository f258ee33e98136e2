package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The details of one span, in a real browser. */
class PageDetailsIT extends BrowserTest {

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  /** Selects the span of this name and duration. */
  private String detailsOf(String name, long millis) {
    browser.run(
        """
        const { model } = app;
        for (let item = 0; item < model.items; item++) {
          const isIt = model.nameOf(model.name[item]) === arguments[0] && model.end[item] - model.start[item] === arguments[1] * 1e6;
          if (isIt) { app.timeline.select(item); break; }
        }
        """,
        name,
        millis);
    browser.await(
        "document.getElementById('details').dataset.item === String(app.timeline.view.selected)");
    return browser.text("#details");
  }

  @Test
  void span_isComparedWithItsSiblings() throws Exception {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int step = 0; step < 3; step++) {
      long at = 5000L * step;
      long root = planted.span(1 + step, 0, "pipeline_step", "d@a", at, at + 4000 + step * 100);
      for (int worker = 1; worker <= 5; worker++) {
        long end = at + (worker == 5 ? 3000 : 1900 + 50 * worker) + step;
        planted.span(1 + step, root, "play", "w" + worker + "@b", at, end);
      }
      planted.span(1 + step, root, "save", "d@a", at + 3500, at + 3600 + step);
    }
    open(planted);
    assertThat(detailsOf("play", 3000))
        .contains(
            "Beside others\n3.00 s; the others’ median, of 4, is 2.02 s (1.5 times that), the longest – below the same caller");
    assertThat(detailsOf("play", 2000)).contains("2.00 s; the others’ median, of 4, is 2.0");
    assertThat(detailsOf("save", 101))
        .contains("101 ms; the median of all 3 is 101 ms – in the whole run");
    browser.assertNoComplaints();
  }

  @Test
  void onlySpanOfItsName_isComparedWithNone() throws Exception {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    planted.span(1, 0, "alone", "d@a", 0, 250);
    open(planted);
    assertThat(detailsOf("alone", 250)).doesNotContain("Beside others");
    browser.assertNoComplaints();
  }

  /** The copied text, as a paste inserts it. */
  private String pasted() {
    browser.run(
        "const box = document.createElement('textarea'); box.id = 'paste'; document.body.append(box); box.focus()");
    browser.find("#paste").sendKeys(Keys.chord(Keys.CONTROL, "v"));
    String text = (String) browser.run("return document.getElementById('paste').value");
    browser.run("document.getElementById('paste').remove()");
    return text;
  }

  @Test
  void idsAttributesErrorsAndTheSpan_areCopied() throws Exception {
    open(PlantedRun.steps());
    browser.click("#next-error");
    browser.await("!document.getElementById('details').hidden");
    browser.click("#details button[aria-label='Copy the trace id']");
    browser.await("document.querySelector('#details button[data-done=true]')");
    assertThat(pasted()).isEqualTo("0".repeat(31) + "5");
    browser.click("#details button[aria-label='Copy the error']");
    browser.await("document.querySelector('#details .reason button[data-done=true]')");
    assertThat(pasted()).isEqualTo("out of memory");
    browser.click("#copy-span");
    browser.await("document.querySelector('#copy-span').textContent === 'Copied'");
    assertThat(pasted()).contains("\"name\":\"worker.generate\"", "\"message\":\"out of memory\"");
    detailsOf("worker.generate", 18);
    browser.click("#details button[aria-label='Copy prompt']");
    browser.await("document.querySelector('#details .attributes button[data-done=true]')");
    assertThat(pasted()).startsWith("an <b>attribute</b> of step ");
    browser.click("#details button[aria-label='Copy all attributes as JSON']");
    browser.await("document.querySelector('#details h3 button[data-done=true]')");
    assertThat(pasted()).contains("\"batch.size\": 128", "an <b>attribute</b>");
    browser.assertNoComplaints();
  }

  @Test
  void wideWindow_showsThemBesideTheLanes() throws Exception {
    browser.resize(1440, 900);
    open(PlantedRun.steps());
    browser.click("#next-error");
    browser.await("!document.getElementById('details').hidden");
    assertThat(
            browser.number(
                "document.querySelector('#details').getBoundingClientRect().left - document.querySelector('.lanes').getBoundingClientRect().right"))
        .isGreaterThanOrEqualTo(0);
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(1440);
    browser.assertNoComplaints();
  }
}
