package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** Why the time went by, in a real browser. */
@Tag("engines")
@Timeout(600)
class PageProfileIT {

  @TempDir Path dir;
  private PageBrowser browser;

  @BeforeEach
  void start() throws IOException {
    browser = new PageBrowser(Files.createDirectory(dir.resolve("profile")));
  }

  @AfterEach
  void close() {
    browser.close();
  }

  private void open() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.slowByGarbage(run);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private void openNapping() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.napping(run, "new", 40);
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
  void method_saysAtWhichLinesItStoodAndListsThemWhenItIsChosen() throws Exception {
    openNapping();
    assertThat(browser.run("return " + BURN + ".title"))
        .asString()
        .containsPattern("of the time; of that at line \\d+ \\d+%");
    assertThat(browser.number("document.querySelector('#why .lines').hidden")).isEqualTo(1);
    browser.run(BURN + ".click()");
    assertThat(browser.text("#why .lines")).contains("Lines of PlantedProfile.burn", "line ", "%");
    assertThat(browser.text("#why .hint")).contains("at line ");
    browser.assertNoComplaints();
  }
}
