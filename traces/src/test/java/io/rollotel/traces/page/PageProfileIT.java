package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** What the time was spent on, in a real browser. */
class PageProfileIT extends BrowserTest {

  private void open() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.slowByGarbage(run);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  /** A run that is parked for 50 ms in each step, and naps for 20 ms, but in the third for 400. */
  private void openNapping() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.napping(run, "new", step -> step == 3 ? 400 : 20);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private void openBurning() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.burning(run, "burning");
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private void choose(String select, int option) {
    browser.run(
        "const select = document.querySelector(\"#why select[aria-label='"
            + select
            + "']\"); select.selectedIndex = "
            + option
            + "; select.dispatchEvent(new Event('change'))");
  }

  @Test
  void criticalPath_saysWhatThreadsDidAndTheCardToo() throws Exception {
    open();
    assertThat(browser.text("#why .shares")).contains("GC pauses");
    assertThat(browser.text("#overview")).contains("Why").contains("GC pauses");
    assertThat(browser.text("#why .icicle")).contains("All of the time").contains("[GC pauses]");
    browser.assertNoComplaints();
  }

  @Test
  void worker_isComparedWithTheOthers() throws Exception {
    open();
    choose("Spans", 1);
    assertThat(browser.number("document.querySelector(\"#why [aria-label='Worker']\").length"))
        .isEqualTo(3);
    choose("Worker", 1);
    assertThat(browser.text("#why .shares")).contains("the others");
    assertThat(browser.text("#why .hint")).startsWith("Red: a larger part");
    browser.assertNoComplaints();
  }

  @Test
  void methods_areFoundAndWalkedByKeys() throws Exception {
    open();
    browser.run(
        "const search = document.querySelector('#why input'); search.value = 'gc pa';"
            + " search.dispatchEvent(new Event('input'))");
    assertThat(browser.text("#why .hint")).contains("of the time is in methods with “gc pa”");
    browser.run("document.querySelector('#why .icicle button').focus()");
    browser.type(Keys.ARROW_DOWN);
    browser.type(Keys.ENTER);
    assertThat(browser.number("document.querySelectorAll('#why [aria-pressed=true]').length"))
        .isEqualTo(1);
    browser.type(Keys.ESCAPE);
    assertThat(browser.number("document.querySelectorAll('#why [aria-pressed=true]').length"))
        .isZero();
    browser.assertNoComplaints();
  }

  private static final String BURN =
      "[...document.querySelectorAll('#why .icicle button')]"
          + ".find((block) => block.title.includes('PlantedProfile.burn:'))";

  @Test
  void packages_areFoldedIntoOneBlockEach() throws Exception {
    openBurning();
    assertThat(browser.text("#why .icicle")).contains("PlantedProfile");
    browser.run(
        "[...document.querySelectorAll('#why .tools button')]"
            + ".find((one) => one.textContent === 'Fold packages').click()");
    browser.await("location.hash.includes('whyfold=on')");
    assertThat(browser.text("#why .icicle"))
        .contains("io.rollotel.traces.kit.*")
        .doesNotContain("PlantedProfile.burn");
    browser.run("location.hash = '#why?why=generate'");
    browser.await("document.querySelector('#why .icicle').textContent.includes('PlantedProfile')");
    browser.assertNoComplaints();
  }

  @Test
  void cards_sayWhyOfAllSpansAndOfTheWorkerThatIsLast() throws Exception {
    open();
    assertThat(browser.text("#overview"))
        .contains("Of all spans’ own time: ")
        .containsPattern("Of generate there: \\d+% GC pauses \\(the others \\d+%\\)");
    browser.assertNoComplaints();
  }

  @Test
  void method_saysAtWhichLinesItStoodAndListsThemWhenItIsChosen() throws Exception {
    openBurning();
    assertThat(browser.run("return " + BURN + ".title"))
        .asString()
        .containsPattern("; \\d+% of it at line \\d+");
    assertThat(browser.number("document.querySelector('#why .lines').hidden")).isEqualTo(1);
    browser.run(BURN + ".click()");
    assertThat(browser.text("#why .lines")).contains("Lines of PlantedProfile.burn", "line ", "%");
    assertThat(browser.text("#why .hint")).contains("at line ");
    browser.assertNoComplaints();
  }

  /** The share of sleep in the visible time, in percent. */
  private double slept() {
    Object text =
        browser.run(
            "const row = [...document.querySelectorAll('#why .shares li')]"
                + ".find((one) => one.textContent.startsWith('sleeping'));"
                + "return row ? row.querySelector('.pct').textContent : '0%'");
    return Double.parseDouble(String.valueOf(text).replace("%", ""));
  }

  @Test
  void step_canBeChosenAloneAndARangeOfThem() throws Exception {
    openNapping();
    choose("Spans", 1);
    choose("Step", 3);
    browser.await("document.querySelector(\"#why [aria-label='Step']\").value === '2'");
    assertThat(slept()).isGreaterThan(75);
    assertThat(browser.text("#why .icicle")).contains("[sleeping]");
    choose("Step", 4);
    browser.await("document.querySelector(\"#why [aria-label='Step']\").value === '3'");
    assertThat(slept()).isBetween(10.0, 50.0);
    choose("Step", 2);
    browser.await("document.querySelector(\"#why [aria-label='Step']\").value === '1'");
    choose("Last step", 2);
    browser.await("document.querySelector(\"#why [aria-label='Last step']\").value === '3'");
    assertThat(slept()).isBetween(50.0, 80.0);
    choose("Spans", 0);
    assertThat(slept()).as("the critical path").isBetween(50.0, 80.0);
    browser.await(chosenSteps("barKey(bars, 1) + '..' + barKey(bars, 3)"));
    browser.run("location.hash = '#why?why=generate&whysteps=2'");
    browser.await("document.querySelector(\"#why [aria-label='Step']\").value === '2'");
    assertThat(slept()).isGreaterThan(75);
    browser.assertNoComplaints();
  }

  /** Whether the address has these steps. */
  private static String chosenSteps(String steps) {
    return "((bars) => new URLSearchParams(location.hash.replace(/.*\\?/, '')).get('whysteps') === "
        + steps
        + ")(app.report.steps.bars)";
  }

  @Test
  void step_leadsToWhatThreadsDidInIt() throws Exception {
    openNapping();
    browser.run("app.timeline.reveal(app.report.steps.bars[2].item)");
    browser.await("document.getElementById('why-step')");
    browser.run("document.getElementById('why-step').click()");
    browser.await("location.hash.startsWith('#why') && " + chosenSteps("barKey(bars, 2)"));
    assertThat(slept()).isGreaterThan(75);
    browser.run("document.querySelector('#steps canvas').focus()");
    browser.type(Keys.ARROW_RIGHT);
    browser.type("w");
    browser.await(chosenSteps("barKey(bars, 0)"));
    assertThat(slept()).isLessThan(50);
    browser.assertNoComplaints();
  }

  @Test
  void otherRun_isComparedByTheTimeASpan() throws Exception {
    Path run = dir.resolve("run");
    Path old = dir.resolve("old");
    PlantedProfile.napping(run, "new", 250);
    PlantedProfile.napping(old, "old", 5);
    RunReport before = RunReport.read(List.of(old), ReportOptions.latestRun());
    HtmlPage page = HtmlPage.read(List.of(run), ReportOptions.latestRun());
    browser.open(page.against(before, page.report().against(before)), dir.resolve("page.html"));
    choose("Spans", 1);
    assertThat(browser.text("#why .shares")).containsPattern("ms a span, the other run .* ms");
    assertThat(browser.text("#why .hint"))
        .isEqualTo("Red: more time a span than in run old. Blue: less.");
    String color =
        "[...document.querySelectorAll('#why .icicle button')]"
            + ".find((block) => block.title.startsWith('%s')).style.backgroundColor";
    assertThat(browser.run("return " + color.formatted("[sleeping]")))
        .asString()
        .as("more")
        .startsWith("rgb(208, ");
    choose("Step", 2);
    browser.await("document.querySelector(\"#why [aria-label='Step']\").value === '1'");
    assertThat(browser.text("#why .shares")).contains("a span, the other run");
    choose("Compare with", 1);
    assertThat(browser.text("#why .shares")).doesNotContain("the other run");
    browser.await("location.hash.includes('whyagainst=')");
    choose("Spans", 0);
    choose("Compare with", 0);
    assertThat(browser.text("#why .shares")).contains("a step, the other run");
    browser.assertNoComplaints();
  }
}
