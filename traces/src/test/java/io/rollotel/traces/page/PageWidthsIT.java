package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole page at the widths of a phone, a laptop and a large screen, in a real browser. */
class PageWidthsIT extends BrowserTest {

  /** Texts that are cut by their element, and elements that stick out of the window. */
  static final String OVERFLOWING =
      """
      const width = document.documentElement.clientWidth;
      const seen = [...document.querySelectorAll('main *, aside *, header *')].filter((one) => one.offsetParent);
      const isOut = (one) => one.getBoundingClientRect().right > width + 1 && !one.closest('.scroll, nav');
      const isCut = (one) => {
        const style = getComputedStyle(one);
        return one.children.length === 0 && one.scrollWidth > one.clientWidth + 1 && style.display !== 'inline'
          && style.textOverflow !== 'ellipsis' && style.overflowX !== 'auto';
      };
      return seen.filter((one) => isOut(one) || isCut(one)).map((one) => one.outerHTML.slice(0, 120));
      """;

  static final String NAMELESS =
      """
      return [...document.querySelectorAll('button, input, a, summary, [tabindex]')]
        .filter((one) => one.offsetParent && !one.getAttribute('aria-label') && one.textContent.trim() === '')
        .map((one) => one.outerHTML.slice(0, 120));
      """;

  @ParameterizedTest
  @CsvSource({"390", "1440", "2560"})
  void services_fit(int width) throws Exception {
    browser.resize(width, 1000);
    browser.open(
        PlantedRun.page(PlantedServices.shop(), ReportOptions.latestRun()),
        dir.resolve("page.html"));
    assertThat(browser.run(OVERFLOWING)).isEqualTo(List.of());
    assertThat(browser.run(NAMELESS)).isEqualTo(List.of());
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
  }

  @ParameterizedTest
  @CsvSource({"390, light", "390, dark", "1440, light", "1440, dark", "2560, light", "2560, dark"})
  void everyPart_fitsAndEveryControlHasAName(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, width < 600 ? 800 : 1000);
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    assertThat(browser.run(OVERFLOWING)).isEqualTo(List.of());
    browser.run(
        """
        document.querySelectorAll('details').forEach((one) => { one.open = true; });
        document.querySelector('[data-durations]').click();
        app.trace.open(app.report.steps.bars[4].item);
        app.trace.choose(app.trace.rows.items[2]);
        """);
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.run(OVERFLOWING)).isEqualTo(List.of());
    assertThat(browser.run(NAMELESS)).isEqualTo(List.of());
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
    browser.run("app.timeline.select(-1)");
    assertThat(browser.number("document.querySelector('#timeline .card').offsetWidth"))
        .as("the page uses the window")
        .isGreaterThan(0.85 * width);
    browser.assertNoComplaints();
  }

  @Test
  void longName_leavesTheTablesOnThePaper() throws Exception {
    Planted planted = PlantedRun.steps();
    String name = "io.acme.pipelines.".repeat(8) + "Optimiser.computeLogProbabilities";
    planted.span(99, 0, name, "actor0@a", 0, 20);
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.print();
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assertThat(
            browser.run(
                """
                const paper = document.querySelector('main').getBoundingClientRect().right;
                return [...document.querySelectorAll('main table')]
                  .filter((one) => one.getBoundingClientRect().right > paper)
                  .map((one) => one.closest('section').id);
                """))
        .isEqualTo(List.of());
    assertThat(
            browser.run(
                "return getComputedStyle(document.querySelector('.swatch')).printColorAdjust"))
        .isEqualTo("exact");
  }

  @Test
  void systemWithItsOwnColours_keepsThoseThatMeanSomething() throws Exception {
    browser.emulate("forced-colors", "active");
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    String background = "getComputedStyle(document.querySelector('%s')).backgroundColor";
    assertThat(browser.run("return " + background.formatted("#steps .legend .swatch")))
        .isNotEqualTo(browser.run("return " + background.formatted("#steps .card")));
    browser.click("#path-alone");
    assertThat(browser.run("return " + background.formatted("#path-alone")))
        .as("pressed")
        .isNotEqualTo(browser.run("return " + background.formatted("#next-error")));
    assertThat(browser.find("#theme").isDisplayed()).isFalse();
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"390", "1440", "2560"})
  void printedPage_isLightAndAsWideAsPaper(int width) throws Exception {
    browser.prefer("dark");
    browser.resize(width, 1000);
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.run("dispatchEvent(new Event('beforeprint'))");
    for (String canvas : List.of(".lanes canvas", "#steps canvas", ".heat canvas")) {
      assertThat(browser.number("document.querySelector('" + canvas + "').offsetWidth"))
          .as(canvas)
          .isBetween(400.0, 700.0);
    }
    assertThat(browser.number("document.querySelector('.lanes canvas').width / devicePixelRatio"))
        .as("drawn, not stretched")
        .isEqualTo(browser.number("document.querySelector('.lanes canvas').offsetWidth"));
    assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("light");
    browser.run("dispatchEvent(new Event('afterprint'))");
    assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("dark");
    assertThat(browser.number("document.querySelector('#timeline .card').offsetWidth"))
        .isGreaterThan(0.85 * width);
    browser.assertNoComplaints();
  }
}
