package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of all runs, in a real browser. */
class RunsPageIT extends BrowserTest {

  private static final long MS = PlantedRun.MS;

  private final List<Planted> runs = new ArrayList<>();

  /** A run of ten steps of so many milliseconds, hours after the one before. */
  private void plant(String id, long millis) {
    plant(id, millis, 10);
  }

  private void plant(String id, long millis, int steps) {
    Planted planted = new Planted(id).inUnitsOf(MS);
    long at = 3_600_000L * runs.size();
    for (int step = 0; step < steps; step++) {
      long trace = 100L * runs.size() + step + 1;
      long root =
          planted.span(trace, 0, "pipeline_step", "driver@a", at, at + millis, "global_step", step);
      if (step == 3 && id.contains("3")) {
        planted.span(trace, root, "train", "driver@a", at, at + millis, "failure", "no memory");
      } else {
        planted.span(trace, root, "train", "driver@a", at, at + millis - 10);
      }
      at += millis;
    }
    runs.add(planted);
  }

  private void fiveRuns() {
    plant("run-1", 100);
    plant("run-2", 102);
    plant("run-3", 140);
    plant("run-4", 120);
    plant("run-5", 118);
  }

  private Path open(String... dirs) throws IOException {
    Spans spans = new Spans();
    runs.forEach(run -> run.spans().forEach(spans::add));
    HtmlPage any = HtmlPage.of(spans, ReportOptions.latestRun());
    List<Path> read = List.of(dirs).stream().map(Path::of).toList();
    Path file = dir.resolve("index.html");
    try (OutputStream out = Files.newOutputStream(file)) {
      new RunsPage(any.report().allRuns(), read).write(out, dir);
    }
    browser.open(file.toUri().toString());
    return file;
  }

  private List<String> texts(String selector) {
    Object texts =
        browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector);
    return ((List<?>) texts).stream().map(String::valueOf).toList();
  }

  @Test
  void allRuns_areSideBySideTheLatestFirst() throws IOException {
    fiveRuns();
    open("output/otlp");
    assertThat(browser.text("#overview"))
        .contains("5 runs in output/otlp", "The latest, run-5")
        .contains("its median step took 0.98 times that of run-4")
        .contains("▲ 1 run has clearly slower steps than the run before")
        .doesNotContain("too few steps", "lost a process");
    assertThat(texts("#all tbody td:nth-child(2)"))
        .containsExactly("run-5", "run-4", "run-3", "run-2", "run-1");
    assertThat(texts("#all tbody td:nth-child(10)"))
        .containsExactly("0.98", "0.86", "▲ 1.37", "1.02", "–");
    assertThat(texts("#all tbody td:nth-child(9)"))
        .containsExactly("118 ms", "120 ms", "140 ms", "102 ms", "100 ms");
    assertThat(texts("#all tbody td:nth-child(7)")).contains("▲ 1");
    assertThat(browser.number("document.querySelectorAll('.trend rect').length")).isEqualTo(5);
    assertThat(browser.number("document.querySelectorAll('.trend rect.failed').length"))
        .isEqualTo(1);
    browser.assertNoComplaints();
  }

  @Test
  void runsOfThreeSteps_areNotCalledSlower() throws IOException {
    plant("run-1", 100);
    plant("run-2", 300, 3);
    plant("run-4", 101);
    open("output/otlp");
    assertThat(browser.text("#overview"))
        .contains("its median step took 1.01 times that of run-1")
        .contains("no run has clearly slower steps than the run before")
        .contains("1 run has too few steps to tell")
        .doesNotContain("▲ 1 run");
    assertThat(texts("#all tbody td:nth-child(10)")).containsExactly("1.01", "3.00", "–");
    browser.assertNoComplaints();
  }

  @Test
  void headings_sortAndKeepTheKeyboard() throws IOException {
    fiveRuns();
    open("output/otlp");
    browser.run(
        "[...document.querySelectorAll('#all th button')].find((one) => one.textContent === 'Median step').click()");
    assertThat(texts("#all tbody td:nth-child(2)"))
        .containsExactly("run-3", "run-4", "run-5", "run-2", "run-1");
    assertThat(browser.run("return document.activeElement.textContent")).isEqualTo("Median step");
  }

  @Test
  void twoRunsThatAreChosen_areComparedByACommand() throws IOException {
    plant("run-1", 100);
    plant("it's run 2", 150);
    open("my dir", "other");
    assertThat(browser.text("#compare")).contains("Choose two runs in the table below.");
    browser.click("[data-run='run-1']");
    assertThat(browser.text("#compare")).contains("Choose another run beside run-1.");
    browser.run("document.querySelectorAll('#all input')[0].click()");
    assertThat(browser.text("#compare"))
        .contains("Median step 100 ms 150 ms +50%")
        .contains(
            "java -jar roll-otel-agent.jar report 'my dir' other '--run=it'\\''s run 2'"
                + " --against=run-1 --html=compare.html --open");
    assertThat(browser.find("#compare button.copy").getAttribute("aria-label"))
        .isEqualTo("Copy the command");
    browser.await("location.hash.includes('compare=')");
    Object address = browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address.toString());
    assertThat(browser.text("#compare")).contains("+50%");
    browser.assertNoComplaints();
  }

  @Test
  void runWhosePageIsThere_leadsToIt() throws IOException {
    fiveRuns();
    Files.writeString(dir.resolve(RunsPage.fileOf("run-2")), "");
    Path index = open("output/otlp");
    assertThat(browser.text("#all"))
        .contains("1 run has a page, which their names lead to.")
        .contains("report output/otlp --runs --html=" + index.getFileName() + " --pages");
    assertThat(browser.find("#all tbody a").getText()).isEqualTo("run-2");
    assertThat(browser.find("#all tbody a").getAttribute("href"))
        .isEqualTo(dir.resolve("run-run-2.html").toUri().toString());
  }

  @Test
  void strangeRuns_areShown() throws IOException {
    plant("<b>" + "x".repeat(10_000) + "\u202e", 1);
    plant("-", 0);
    Planted services = new Planted("services");
    services.span(900_000, 0, "GET /x", "web@a", 0, 0);
    runs.add(services);
    open("a".repeat(3_000));
    assertThat(browser.text("#all")).contains("<b>xxx", "services");
    assertThat(browser.number("document.documentElement.scrollWidth - innerWidth"))
        .isLessThanOrEqualTo(0);
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"390, light", "1440, dark", "2560, light"})
  void pageOfRuns_fitsAndIsForEverybody(int width, String theme) throws Exception {
    fiveRuns();
    browser.prefer(theme);
    browser.resize(width, 900);
    open("output/otlp");
    browser.run(
        "document.querySelectorAll('#all input').forEach((one, i) => i < 2 && one.click())");
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
    browser.run(PageAccessibilityIT.axe());
    assertThat(browser.runAsync(PageAccessibilityIT.RULES)).isEqualTo(List.of());
    browser.assertNoComplaints();
  }

  @Test
  void printedPage_isLightAndAsWideAsPaper() throws IOException {
    fiveRuns();
    browser.prefer("dark");
    browser.resize(2560, 900);
    open("output/otlp");
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assertThat(browser.number("document.querySelector('.trend svg').getAttribute('width')"))
        .isBetween(500.0, 700.0);
    assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("light");
    browser.run("dispatchEvent(new Event('afterprint'))");
    assertThat(browser.number("document.querySelector('.trend svg').getAttribute('width')"))
        .isGreaterThan(1500);
    assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("dark");
    browser.assertNoComplaints();
  }

  @Test
  void idsThatLookTheSame_haveFilesOfTheirOwn() {
    assertThat(RunsPage.fileOf("a1-b_2")).isEqualTo("run-a1-b_2.html");
    assertThat(RunsPage.fileOf("a/b")).matches("run-a_b-[0-9a-f]{8}\\.html");
    assertThat(RunsPage.fileOf("a:b")).isNotEqualTo(RunsPage.fileOf("a/b"));
    assertThat(RunsPage.fileOf("../" + "x".repeat(1000))).matches("run-_x{59}-[0-9a-f]{8}\\.html");
  }
}
