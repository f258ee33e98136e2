package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.ReportOptions;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page without a pointer, in a real browser. */
class PageKeyboardIT extends BrowserTest {

  /** Far more than a page has to stop at. */
  private static final int MOST_STOPS = 600;

  /** The parts of the page that Tab stops in, until it leaves the page. */
  private Set<Object> partsByTab() {
    browser.run("document.querySelector('.skip').focus()");
    Set<Object> parts = new LinkedHashSet<>();
    for (int stop = 0; stop < MOST_STOPS; stop++) {
      browser.type(Keys.TAB);
      Object part =
          browser.run(
              """
              const at = document.activeElement;
              if (at === document.body) return '';
              const box = at.getBoundingClientRect();
              if (box.width === 0 || box.height === 0) return 'unseen: ' + at.outerHTML.slice(0, 200);
              return at.closest('section, aside')?.id || at.closest('header')?.className || at.className;
              """);
      if (part.equals("")) {
        return parts;
      }
      parts.add(part);
    }
    throw new AssertionError("Tab never leaves the page; it stopped in " + parts);
  }

  private List<?> shownParts() {
    return (List<?>)
        browser.run(
            "return [...document.querySelectorAll('main > section')]"
                + ".filter((part) => !part.hidden).map((part) => part.id)");
  }

  @Test
  void tab_stopsInEveryPartAndLeavesThePage() throws Exception {
    browser.open(
        PageAgainstIT.page(PageAgainstIT.run(12, 4, 2, 60), PageAgainstIT.run(12, 4, 2, 20)),
        dir.resolve("page.html"));
    browser.run("app.trace.open(app.report.steps.bars[4].item); app.timeline.select(-1)");
    assertThat(partsByTab())
        .containsAll(shownParts())
        .allSatisfy(part -> assertThat((String) part).doesNotStartWith("unseen"));
    browser.assertNoComplaints();
  }

  @Test
  void tabOnAPageWithAProfile_stopsInEveryPart() throws Exception {
    Path run = dir.resolve("run");
    PlantedProfile.napping(run, "run", 5);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
    assertThat(partsByTab()).containsAll(shownParts()).contains("why");
    browser.assertNoComplaints();
  }

  @Test
  void selectedSpan_isSpokenAndItsDetailsAreOneKeyAway() throws Exception {
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    String at = "return document.activeElement.id || document.activeElement.className";
    browser.run("document.querySelector('.lanes').focus()");
    browser.type("n");
    String said = "#timeline .unseen[role=status]";
    assertThat((String) browser.run("return document.querySelector('" + said + "').textContent"))
        .matches("pipeline_step, \\S+ ms, after \\S+ n?s, on driver.*");
    browser.type("d");
    browser.await("document.querySelector('" + said + "').textContent.startsWith('generate, ')");
    browser.await("document.getElementById('details').textContent.includes('Parent')");
    browser.type("i");
    assertThat(browser.run(at)).isEqualTo("details");
    browser.run(
        "[...document.querySelectorAll('#details .go button')]"
            + ".find((one) => one.textContent === 'Parent').focus()");
    browser.type(Keys.ENTER);
    browser.await("document.querySelector('#details h2').textContent === 'pipeline_step'");
    assertThat(browser.run(at)).isEqualTo("details");
    browser.type(Keys.ESCAPE);
    assertThat(browser.run(at)).isEqualTo("lanes");
    assertThat(browser.run("return document.querySelector('" + said + "').textContent"))
        .isEqualTo("");
    browser.assertNoComplaints();
  }

  @Test
  void linksOfTheHead_leadToTheirPartsByEnter() throws Exception {
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
    for (Object part : shownParts()) {
      browser.run("document.querySelector('nav a[href=\"#" + part + "\"]').focus()");
      browser.type(Keys.ENTER);
      assertThat(browser.run("return document.activeElement.id")).isEqualTo(part);
      assertThat(
              browser.number(
                  "document.getElementById('"
                      + part
                      + "').getBoundingClientRect().top - innerHeight"))
          .as("in sight")
          .isNegative();
    }
    browser.assertNoComplaints();
  }
}
