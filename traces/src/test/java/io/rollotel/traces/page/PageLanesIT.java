package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The timeline of more workers than a screen has room for, in a real browser. */
class PageLanesIT extends BrowserTest {

  /** The slowest interaction that is allowed on a busy machine. */
  private static final double MOST_MILLIS = 20_000;

  /** The heading of the group of all actors. */
  private static final String ACTORS = ".head.group .label";

  private Path open(Planted planted) throws IOException {
    return browser.open(
        PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  /** A hundred workers, with everything that a thousand have. */
  private void openSmaller() throws IOException {
    open(CrowdedRun.planted(100, 12));
    browser.run("app.address.go('timeline')");
  }

  private double measured(String what) {
    return browser.number(
        "performance.getEntriesByName('timeline " + what + "').at(-1)?.duration ?? NaN");
  }

  /** The labels at the left of the lanes, headings in brackets. */
  private List<String> labels() {
    String all =
        (String)
            browser.run(
                "return app.timeline.lanes.blocks.map(({ lane, group }) => lane ? lane.label : '[' + group.name + ']').join('|')");
    return List.of(all.split("\\|"));
  }

  private WebElement labelOf(String text) {
    String ofLane = "//*[@class='heads']//button[starts-with(., '" + text + "')]";
    return browser.find(By.xpath(ofLane));
  }

  @Test
  void thousandWorkers_fitInOnePageWithTheStragglerInSight() throws Exception {
    Path file = open(CrowdedRun.planted());
    double ready = browser.number("performance.getEntriesByName('ready')[0].startTime");
    assertThat(Files.size(file)).isLessThan(20_000_000);
    assertThat(browser.number("app.timeline.lanes.all.length")).isEqualTo(1002);
    assertThat(labels()).isEqualTo(List.of("driver", "actor · rank 777", "[actor]", "[judge]"));
    browser.run("app.address.go('timeline')");
    assertThat(labelOf("actor · rank 777").isDisplayed()).isTrue();
    StringBuilder times = new StringBuilder();
    for (String[] step :
        new String[][] {
          {"fold", "app.timeline.toggleGroup(app.timeline.lanes.groups[0])"},
          {"sort", "app.timeline.choose('sort', 'idle')"},
          {"group", "app.timeline.choose('group', 'host')"},
          {"pin", "app.timeline.togglePin(app.timeline.lanes.all[500])"},
          {"height", "app.timeline.toggleSize(app.timeline.lanes.all[500])"},
          {"only", "app.timeline.toggleOnly()"},
          {"size", "app.timeline.choose('size', 'normal')"},
          {"range", "app.timeline.range.select([20e9, 150e9])"},
          {"draw", "app.timeline.zoom(0.5); app.timeline.draw()"}
        }) {
      browser.run(step[1]);
      assertThat(measured(step[0])).as(step[0]).isLessThan(MOST_MILLIS);
      times.append(String.format(", %s %.0f", step[0], measured(step[0])));
    }
    System.out.printf(
        "1,000 workers × 200 steps: %.1f MB, %s items, ready after %.0f ms; in ms%s%n",
        Files.size(file) / 1e6, browser.run("return app.model.items"), ready, times);
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 499, 998, 999})
  void anyWorker_isReachedByTwoClicks(int rank) throws Exception {
    open(CrowdedRun.planted(CrowdedRun.WORKERS, 2));
    browser.click(ACTORS);
    // Scrolling is no click.
    browser.run(
        """
        const { timeline } = app;
        timeline.box.scrollTop = timeline.lanes.all.find((lane) => lane.rank === arguments[0] && !lane.isDriver).top - 200;
        timeline.draw();
        """,
        "" + rank);
    labelOf("actor · rank " + rank).click();
    assertThat(labelOf("actor · rank " + rank).getDomAttribute("aria-expanded")).isEqualTo("true");
    assertThat(browser.number("app.timeline.lanes.byWorker.size")).isEqualTo(1001);
    browser.assertNoComplaints();
  }

  @Test
  void groups_areByRoleHostAndRankAndCollapse() throws Exception {
    openSmaller();
    browser.click(ACTORS);
    assertThat(browser.find(ACTORS).getDomAttribute("aria-expanded")).isEqualTo("true");
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(101);
    browser.click(ACTORS);
    assertThat(labels()).isEqualTo(List.of("driver", "actor · rank 77", "[actor]"));
    choose("group", "host");
    assertThat(browser.number("app.timeline.lanes.groups.length")).isEqualTo(13);
    choose("group", "rank");
    assertThat(browser.text(ACTORS)).startsWith("▸\nranks 0–1\n");
    browser.click("#unfold-all");
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(101);
    choose("group", "none");
    assertThat(browser.find("#unfold-all").isDisplayed()).isFalse();
    assertThat(browser.number("app.timeline.lanes.blocks.length")).isEqualTo(101);
    browser.assertNoComplaints();
  }

  private void choose(String what, String value) {
    browser.find("#lane-" + what + " option[value='" + value + "']").click();
  }

  @ParameterizedTest
  @CsvSource({
    "rank, actor · rank 0",
    "idle, actor · rank 0",
    "cost, actor · rank 90",
    "path, actor · rank 90"
  })
  void sort_putsTheFirstBelowTheDriver(String sort, String first) throws Exception {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int step = 0; step < 4; step++) {
      long at = 110L * step;
      long root =
          planted.span(
              1 + step, 0, "pipeline_step", "driver@a", at, at + 100, "global_step", "" + step);
      for (int rank = 0; rank < 100; rank++) {
        planted.span(
            1 + step,
            root,
            "work",
            "actor" + rank + "@a",
            at,
            at + (rank == 90 ? 90 : 10 + rank / 2));
      }
    }
    open(planted);
    choose("group", "none");
    browser.run(
        "app.timeline.togglePin(app.timeline.lanes.all.find((lane) => lane.rank === '90'))");
    choose("sort", sort);
    assertThat(labels()).startsWith("driver", first);
    browser.assertNoComplaints();
  }

  @Test
  void pinnedLane_staysAtTheTopWhileOthersAreScrolled() throws Exception {
    openSmaller();
    browser.click(ACTORS);
    String pinned = "actor · rank 3";
    browser.run("arguments[0].nextElementSibling.click()", labelOf(pinned));
    assertThat(labels()).startsWith("driver", pinned, "actor · rank 77", "[actor]");
    browser.run("app.timeline.box.scrollTop = 900; app.timeline.draw()");
    assertThat(labelOf(pinned).isDisplayed()).isTrue();
    assertThat(
            browser.number(
                "Math.min(...[...document.querySelectorAll('.head.stuck')].map((one) => one.getBoundingClientRect().top)) - app.timeline.stage.getBoundingClientRect().top"))
        .isEqualTo(40);
    assertThat(
            browser.run(
                """
                return [...document.querySelectorAll('.head.stuck .first')].every((one) => {
                  const { left, top, height } = one.getBoundingClientRect();
                  return one.contains(document.elementFromPoint(left + 4, top + height / 2));
                });
                """))
        .as("no other label lies over it")
        .isEqualTo(true);
    browser.assertNoComplaints();
  }

  @Test
  void onlyThisStep_leavesOutWhatTakesNoPart() throws Exception {
    open(CrowdedRun.planted(100, 160));
    choose("group", "none");
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(102);
    browser.run("app.chart.open(3)");
    browser.await("document.querySelector('#only-busy').textContent === 'Only this step'");
    browser.click("#only-busy");
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(101);
    assertThat(browser.text(".lane-tools .found")).isEqualTo("101 of 102 lanes at work");
    browser.run("app.chart.open(" + CrowdedRun.GUEST_STEP + "); app.timeline.draw()");
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(102);
    browser.assertNoComplaints();
  }

  @Test
  void rangeThatIsDrawn_hasItsStatistics() throws Exception {
    openSmaller();
    browser.run("app.timeline.set(0, 1010e6); app.timeline.draw()");
    double left = browser.number("app.timeline.view.left");
    double plot = browser.number("app.timeline.width") - left;
    browser.click("#select-range");
    browser.dragTimeline(left + 0.1 * plot, left + 0.3 * plot, 60);
    browser.await("!document.getElementById('range').hidden");
    assertThat(browser.text("#range"))
        .matches("(?s)20[123] ms selected, from 10\\d ms into step 0\n.*")
        .contains("102 spans, 0 errors; 101 of 101 lanes had one.")
        .contains("worker.generate");
    assertThat(browser.find("#select-range").getDomAttribute("aria-pressed")).isEqualTo("false");
    browser.click("#range-zoom");
    browser.await("app.timeline.view.from > 50e6 && app.timeline.view.to < 400e6");
    browser.await("location.hash.includes('range=')");
    browser.click("#range-clear");
    assertThat(browser.find("#range").isDisplayed()).isFalse();
    browser.assertNoComplaints();
  }

  @Test
  void keyboardAlone_groupsPinsExpandsAndSelects() throws Exception {
    openSmaller();
    browser.run("document.querySelector('.lanes').focus()");
    browser.type(Keys.TAB);
    assertThat(focused()).startsWith("driver");
    browser.type(Keys.ARROW_DOWN);
    assertThat(focused()).startsWith("actor · rank 77");
    browser.type(Keys.ARROW_DOWN);
    assertThat(focused()).startsWith("▸\nactor");
    browser.type(Keys.ENTER);
    browser.await("app.timeline.lanes.shown.length === 101");
    browser.type(Keys.ARROW_DOWN, Keys.ARROW_DOWN);
    assertThat(focused()).startsWith("actor · rank 1");
    browser.type(Keys.SPACE);
    browser.await("document.activeElement.ariaExpanded === 'true'");
    browser.type("t");
    browser.await("app.timeline.lanes.pins?.size === 2");
    browser.type(Keys.END);
    assertThat(focused()).startsWith("actor · rank 99");
    browser.run("document.querySelector('.lanes').focus()");
    browser.type("r");
    browser.await("!document.getElementById('range').hidden");
    double end = browser.number("app.timeline.view.range[1]");
    double start = browser.number("app.timeline.view.range[0]");
    browser.typeWithShift(Keys.ARROW_LEFT);
    browser.await("app.timeline.view.range[1] < " + end);
    browser.type(">");
    browser.await("app.timeline.view.range[0] > " + start);
    browser.type(Keys.ESCAPE);
    browser.await("document.getElementById('range').hidden");
    browser.assertNoComplaints();
  }

  private String focused() {
    return ((String)
            browser.run(
                "return document.activeElement.ariaLabel ?? document.activeElement.innerText"))
        .strip();
  }

  @Test
  void address_holdsWhatIsChosen() throws Exception {
    openSmaller();
    choose("sort", "idle");
    choose("size", "tall");
    browser.click(ACTORS);
    browser.run(
        """
        const { timeline } = app;
        timeline.togglePin(timeline.lanes.all[5]);
        timeline.toggleSize(timeline.lanes.all[6]);
        timeline.toggleOnly();
        timeline.range.select([1e9, 2e9]);
        """);
    List<String> before = labels();
    browser.await("location.hash.includes('range=1000000000..2000000000')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    browser.await("document.body.dataset.address");
    assertThat(labels()).isEqualTo(before);
    assertThat(browser.run("return app.timeline.lanes.sizeOf(app.timeline.lanes.all[6])"))
        .isEqualTo("normal");
    assertThat(browser.run("return document.querySelector('#lane-sort').value")).isEqualTo("idle");
    assertThat(browser.find("#range").isDisplayed()).isTrue();
    browser.assertNoComplaints();
  }

  @Test
  void anotherStateOfTheReport_keepsWhatIsChosen() throws Exception {
    openSmaller();
    browser.click(ACTORS);
    choose("sort", "cost");
    browser.run(
        """
        const { timeline } = app;
        timeline.togglePin(timeline.lanes.all[5]);
        timeline.range.select([1e9, 2e9]);
        window.before = timeline.lanes.all[5];
        timeline.follow(app.model, 0);
        timeline.draw();
        """);
    assertThat(browser.run("return before === app.timeline.lanes.all[5]")).isEqualTo(false);
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(101);
    assertThat(browser.number("app.timeline.lanes.blocks.filter((block) => block.isPinned).length"))
        .isEqualTo(2);
    assertThat(browser.find("#range").isDisplayed()).isTrue();
    browser.assertNoComplaints();
  }

  @Test
  void spanInACollapsedGroup_isRevealed() throws Exception {
    openSmaller();
    browser.run(
        "app.timeline.reveal(app.timeline.lanes.all.find((lane) => lane.rank === '50').rows[0].first + 3)");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.number("app.timeline.lanes.shown.length")).isEqualTo(101);
    assertThat(
            browser.run(
                "const { lane } = app.timeline.places.get(app.model.rowOf(app.timeline.view.selected)); return lane.top >= app.timeline.box.scrollTop && lane.top < app.timeline.box.scrollTop + app.timeline.height"))
        .isEqualTo(true);
    browser.assertNoComplaints();
  }

  @Test
  void errorsInACollapsedGroup_areMarkedOnItsStrip() throws Exception {
    Planted planted = CrowdedRun.planted(100, 2);
    planted.span(9, 0, "lost", "actor50@n1", 1500, 1700, "failure", "out of memory");
    open(planted);
    assertThat(
            browser.number(
                "app.timeline.strips.errors(app.timeline.lanes.groups[0], 0, app.model.wall).length"))
        .isEqualTo(1);
    browser.assertNoComplaints();
  }

  @Test
  void laneZoomedOut_showsTheMixOfWhatRan() throws Exception {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int i = 0; i < 20_000; i++) {
      planted.span(
          1 + i,
          0,
          i % 2 == 0 ? "generate" : "train",
          "actor0@a",
          10L * i,
          10L * i + (i % 2 == 0 ? 6 : 3));
    }
    open(planted);
    assertThat(
            browser.run(
                """
                const { timeline } = app;
                timeline.draw();
                const { lane } = timeline.lanes.blocks[0];
                const ratio = devicePixelRatio;
                const x = (timeline.view.left + 300) * ratio;
                const bar = (lane.rowHeight - 3) * ratio;
                const pixels = timeline.canvas.getContext('2d')
                  .getImageData(x, (RULER + lane.top + lane.rows[0].top) * ratio, 1, bar).data;
                const at = (share) => Array.from(pixels.slice(4 * Math.floor(share * bar), 4 * Math.floor(share * bar) + 4));
                return at(0.15).join() !== at(0.85).join();
                """))
        .as("both names, one above the other")
        .isEqualTo(true);
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"390, light", "390, dark", "1440, light", "1440, dark", "2560, light", "2560, dark"})
  void everyWidth_fitsAndIsForEverybody(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, width < 600 ? 800 : 1000);
    openSmaller();
    browser.click(ACTORS);
    browser.run("app.timeline.range.select([1e9, 2e9])");
    for (String size : List.of("compact", "normal", "tall")) {
      choose("size", size);
      assertThat(browser.run(PageWidthsIT.OVERFLOWING)).as(size).isEqualTo(List.of());
      assertThat(browser.run(PageWidthsIT.NAMELESS)).as(size).isEqualTo(List.of());
      assertThat(textsThatStickOut()).as(size).isEqualTo(List.of());
    }
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
    browser.run(PageAccessibilityIT.axe());
    assertThat(browser.runAsync(PageAccessibilityIT.RULES)).isEqualTo(List.of());
    browser.assertNoComplaints();
  }

  /**
   * The texts that the painter writes into bars, at several zooms, if they are wider than their
   * bars.
   */
  private Object textsThatStickOut() {
    return browser.run(
        """
        const { timeline } = app;
        const out = [];
        const text = Painter.prototype.text;
        Painter.prototype.text = function (item, from, width, ...more) {
          const fill = this.context.fillText;
          this.context.fillText = (shown, x, y) => {
            const end = x + this.context.measureText(shown).width;
            if (x < from || end > from + width + 0.5 || end > this.width + 0.5) out.push(shown + ' in ' + width);
            fill.call(this.context, shown, x, y);
          };
          text.call(this, item, from, width, ...more);
          this.context.fillText = fill;
        };
        timeline.fit();
        for (let zoom = 0; zoom < 12; zoom++) {
          timeline.zoom(0.6, 1.3e9);
          timeline.draw();
        }
        Painter.prototype.text = text;
        return out;
        """);
  }

  @Test
  void hostileNames_areCutInTheirLabels() throws Exception {
    String text = "x".repeat(10_000) + "<b>&\"";
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int i = 0; i < 100; i++) {
      planted.span(1 + i, 0, text, text + i + "@" + text, i, i + 500);
    }
    open(planted);
    for (String by : List.of("host", "rank", "role")) {
      choose("group", by);
      browser.click("#unfold-all");
      assertThat(browser.run(PageWidthsIT.OVERFLOWING)).as(by).isEqualTo(List.of());
    }
    browser.assertNoComplaints();
  }
}
