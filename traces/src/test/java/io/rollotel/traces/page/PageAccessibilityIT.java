package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accessibility faults that axe-core finds on the page, in a real browser. */
class PageAccessibilityIT extends BrowserTest {

  static final String RULES =
      """
      const done = arguments[0];
      axe.run(document).then((result) => done(result.violations.flatMap((rule) =>
        rule.nodes.map((node) => rule.id + ': ' + node.target.join(' ') + ' – '
          + [...node.any, ...node.all].map((check) => check.message).join('; ')))));
      """;

  static String axe() throws IOException {
    try (InputStream script = PageAccessibilityIT.class.getResourceAsStream("/axe.min.js")) {
      return new String(script.readAllBytes(), UTF_8);
    }
  }

  @ParameterizedTest
  @CsvSource({"390, light", "390, dark", "1440, light", "1440, dark"})
  void partsOfARun_areForEverybody(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.run(axe());
    assertThat(browser.runAsync(RULES)).isEqualTo(List.of());
    browser.run(
        """
        document.querySelectorAll('details').forEach((one) => { one.open = true; });
        document.querySelector('[data-durations]').click();
        app.trace.open(app.report.steps.bars[4].item);
        app.trace.choose(app.trace.rows.items[2]);
        """);
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.runAsync(RULES)).as("all open").isEqualTo(List.of());
  }

  @ParameterizedTest
  @CsvSource({"390, dark", "1440, light"})
  void twoRuns_areForEverybody(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    browser.open(
        PageAgainstIT.page(PageAgainstIT.run(20, 4, 2, 60), PageAgainstIT.run(20, 4, 2, 20)),
        dir.resolve("page.html"));
    browser.run(axe());
    browser.click("#against .more summary");
    assertThat(browser.runAsync(RULES)).isEqualTo(List.of());
  }

  @ParameterizedTest
  @CsvSource({"390, light", "1440, dark"})
  void services_areForEverybody(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    browser.open(
        PlantedRun.page(PlantedServices.shop(), ReportOptions.latestRun()),
        dir.resolve("page.html"));
    browser.run(axe());
    assertThat(browser.runAsync(RULES)).isEqualTo(List.of());
  }

  @ParameterizedTest
  @CsvSource({"390, light", "1440, dark"})
  void query_isForEverybody(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    browser.find("#timeline input[type=search]").sendKeys("status:error OR name:");
    browser.await("document.querySelectorAll('#timeline .completions li').length === 4");
    browser.await("!document.querySelector('#timeline .wrong').hidden");
    browser.run(axe());
    assertThat(browser.runAsync(RULES)).as("wrong").isEqualTo(List.of());
    browser.find("#timeline input[type=search]").sendKeys("train");
    browser.await("document.querySelector('.lanes').dataset.found === '13'");
    assertThat(browser.runAsync(RULES)).as("found").isEqualTo(List.of());
  }

  @ParameterizedTest
  @CsvSource({"390, light", "1440, dark"})
  void profile_isForEverybody(int width, String theme) throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.slowByGarbage(run);
    browser.prefer(theme);
    browser.resize(width, 900);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.run(axe());
    assertThat(browser.runAsync(RULES)).isEqualTo(List.of());
  }
}
