package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of a run that is not in memory, in a real browser. */
class PagePartsIT extends BrowserTest {

  private static final int STEPS = 100;

  /** Steps of 123 spans each; the page has room for some of them. */
  private static final Planted RUN = CrowdedRun.planted(40, STEPS);

  private static final PageLimits FEW =
      new PageLimits(19_500_000, 500_000, 5_000, 2000, 5000, 4000, 5000, 2000, 1 << 20);

  private Path page() throws IOException {
    StringWriter out = new StringWriter();
    PageTemplate template = PageTemplate.load();
    out.write(template.beforeData(PageTemplate.NO_NETWORK));
    PageText data = new PageText(out);
    HtmlPage.writeData(PlantedParts.report(RUN, 4), null, ReportOptions.latestRun(), FEW, 0, data);
    data.flush();
    out.write(template.afterData());
    return Files.writeString(dir.resolve("parts.html"), out.toString(), UTF_8);
  }

  private List<?> texts(String selector) {
    return (List<?>)
        browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector);
  }

  @Test
  void pageOfParts_saysOfTheRunWhatThatOfTheWholeSaysAndWhichTracesItShows() throws Exception {
    browser.resize(1440, 900);
    browser.open(PlantedRun.page(RUN, ReportOptions.latestRun()), dir.resolve("whole.html"));
    List<?> known = texts("#overview .facts, #overview .answers, #steps h2, #workers h2");
    browser.open(page().toUri().toString());
    assertThat(texts("#overview .facts, #overview .answers, #steps h2, #workers h2"))
        .isEqualTo(known);
    assertThat(texts("#overview .notices").toString())
        .contains("The run was read in parts. Its figures, tables and charts are of all spans.")
        .contains(" of 100 traces (")
        .contains(" of 12,300 spans)");

    for (Object part : texts("header nav a:not([hidden])")) {
      browser.run(
          "[...document.querySelectorAll('header nav a')].find((one) => one.textContent === arguments[0]).click()",
          part);
      browser.await(
          "!document.querySelector([...document.querySelectorAll('header nav a')].find((one) => one.textContent === '"
              + part
              + "').getAttribute('href')).hidden");
    }
    browser.run("app.address.go('workers')");
    browser.await("document.querySelector('.heat').dataset.rows === '40'");
    browser.run("app.address.go('timeline')");
    assertThat(browser.text("#timeline .chosen")).contains(" of 100 traces (");
    assertThat(browser.number("app.model.ended")).isBetween(4_000.0, 5_000.0);
    browser.run("app.timeline.find({ text: 'name:worker.score' })");
    browser.await("document.querySelector('#query-count').textContent.includes('match')");
    assertThat(browser.text("#query-count")).contains("chosen traces match");
    browser.run("app.trace.open(app.report.steps.slowest[0].item)");
    browser.await("!document.querySelector('#trace').hidden");
    browser.assertNoComplaints();
  }
}
