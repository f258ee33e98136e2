package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** The heat map of workers and steps, in a real browser. */
class PageHeatIT extends BrowserTest {

  private static final String SAID = "#workers [role=status]";

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private void choose(String metric) {
    browser.run(
        "const one = document.querySelector('#heat-metric'); one.value = arguments[0]; one.dispatchEvent(new Event('change'))",
        metric);
    browser.await("document.querySelector('.heat').dataset.metric === '" + metric + "'");
  }

  private String topWorker() {
    return (String)
        browser.run(
            "return app.model.shortWorker(Number(document.querySelector('.heat').dataset.top))");
  }

  private String metricOf(String name) {
    return "name " + browser.run("return numberOfName(app.model, arguments[0])", name);
  }

  private void awaitMap() {
    browser.await("document.querySelector('.heat').dataset.rows");
  }

  @Test
  void stragglerAmongAThousandWorkers_isTheFirstRow() throws Exception {
    browser.resize(1440, 900);
    open(PlantedStraggler.run(1000, 200, 777));
    awaitMap();
    assertThat(browser.number("document.querySelector('.heat').dataset.rows")).isEqualTo(1000);
    assertThat(browser.number("document.querySelector('.heat').dataset.columns")).isEqualTo(200);
    for (String metric : new String[] {"busy", "idle", "cost", metricOf("worker.generate")}) {
      choose(metric);
      assertThat(topWorker()).as(metric).isEqualTo("actor · rank 777");
    }
    browser.click("#heat-rank");
    assertThat(topWorker()).isEqualTo("actor · rank 0");
    browser.run("document.querySelector('.heat').scrollTop = 1e6");
    browser.await("document.querySelector('.heat').dataset.top > 900");
    browser.click("#workers details:last-of-type summary");
    assertThat(browser.text("#workers details table")).contains("actor actor777 · rank 777 Step ");
    browser.click("#workers details tbody tr:first-child button");
    browser.await("app.timeline.view.selected >= 0");
    assertThat(selected()).isEqualTo("actor · rank 777 worker.generate");
    browser.assertNoComplaints();
  }

  @Test
  void tenThousandWorkersAndSteps_areJoinedAndThePageSaysSo() throws Exception {
    int steps = 10_000;
    int calls = 20;
    long apart = 1000L * steps / calls;
    Random random = new Random(9);
    Planted planted = new Planted().inUnitsOf(1000);
    for (int step = 0; step < steps; step++) {
      planted.span(1 + step, 0, "pipeline_step", "driver", 1000L * step, 1000L * step + 900);
    }
    for (int worker = 0; worker < 10_000; worker++) {
      for (int call = 0; call < calls; call++) {
        long start = apart * call;
        long took = worker == 7777 ? apart - 1 : apart / 3 + random.nextInt((int) apart / 6);
        planted.span(steps + 1, 0, "work", "w" + worker, start, start + took);
      }
    }
    open(planted);
    awaitMap();
    assertThat(topWorker()).as("one of those that have no place in the tables").contains("7777");
    assertThat(browser.number("document.querySelector('.heat').dataset.columns")).isEqualTo(49);
    assertThat(browser.text("#workers")).contains("Each column is 205 steps, and shows their mean");
    browser.assertNoComplaints();
  }

  @Test
  void cells_areWalkedByKeysAndLeadToTheTimeline() throws Exception {
    open(PlantedStraggler.run(12, 40, 7));
    awaitMap();
    browser.run("document.querySelector('.heat').focus()");
    browser.type(Keys.ARROW_DOWN);
    assertThat(browser.text(SAID))
        .isEqualTo(
            "actor · rank 7, step 0: busy 60.0 ms of 100 ms; 2.88 × the median of its peers, 20.8 ms.");
    browser.type(Keys.END, Keys.ARROW_LEFT);
    assertThat(browser.text(SAID)).startsWith("actor · rank 7, step 38: busy 60.0 ms of 100 ms");
    browser.type(Keys.ARROW_DOWN, Keys.PAGE_DOWN, Keys.HOME);
    assertThat(browser.text(SAID)).doesNotContain("rank 7,").contains("step 0:");
    browser.await("location.hash.includes('cell=')");
    browser.type(Keys.PAGE_UP, Keys.END, Keys.ENTER);
    browser.await("app.timeline.view.selected >= 0");
    assertThat(selected()).isEqualTo("actor · rank 7 worker.generate");
    // Step 39 begins at 4,290 ms and takes 100.
    assertThat(browser.number("app.timeline.view.from / 1e6")).isBetween(4250.0, 4290.0);
    assertThat(browser.number("app.timeline.view.to / 1e6")).isBetween(4390.0, 4420.0);
    browser.run("document.querySelector('.heat').focus()");
    browser.type(Keys.ESCAPE);
    assertThat(browser.text(SAID)).isEmpty();
    browser.assertNoComplaints();
  }

  private String selected() {
    return (String)
        browser.run(
            """
            const { model, timeline } = app;
            const { selected } = timeline.view;
            return model.shortWorker(model.rows[model.rowOf(selected)].worker) + ' ' + model.nameOf(model.name[selected]);
            """);
  }

  @Test
  void pointer_saysWhatACellIsAndAClickShowsIt() throws Exception {
    open(PlantedStraggler.run(12, 40, 7));
    awaitMap();
    choose(metricOf("worker.generate"));
    browser.clickCanvas(".heat canvas", 700, 36);
    browser.await("app.timeline.view.selected >= 0");
    assertThat(selected()).isEqualTo("actor · rank 7 worker.generate");
    assertThat(browser.text(SAID)).contains("the longest took 60.0 ms");
    browser.assertNoComplaints();
  }

  @Test
  void choices_areInTheAddressAndOutliveAnotherState() throws Exception {
    open(PlantedStraggler.run(40, 12, 7));
    awaitMap();
    choose(metricOf("worker.generate"));
    browser.click("#heat-name");
    browser.run("app.heat.cell = { worker: 39, column: 5 }; app.heat.say(); app.address.changed()");
    browser.await("location.hash.includes('cell=')");
    assertThat((String) browser.run("return location.hash"))
        .contains("heatname=worker.generate", "heatorder=name");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    browser.await("document.querySelector('.heat').dataset.metric !== 'busy'");
    browser.await("document.querySelector('" + SAID + "').textContent !== ''");
    assertThat(browser.text(SAID)).startsWith("actor · rank 39, step 5: the longest took");
    browser.run("location.hash = '#heat?cell=38.4'"); // as pages before had it
    browser.await("app.heat.cell.worker === 38");
    assertThat(browser.run("return app.heat.cell.column")).isEqualTo(4L);
    browser.run("history.back()");
    browser.await("app.heat.cell.worker === 39");
    browser.run("document.querySelector('.heat').scrollTop = 60; app.heat.said.textContent = ''");
    browser.run("drawWorkers()");
    browser.await("document.querySelector('" + SAID + "').textContent !== ''");
    assertThat(browser.text(SAID)).startsWith("actor · rank 39, step 5: the longest took");
    assertThat(browser.number("document.querySelector('.heat').scrollTop")).isEqualTo(60);
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"1440, 40,  40,  ''", "390,  40,  40,  ''", "390,  300, 100, Each column is 3 steps"})
  void columnsThatWouldBeTooNarrow_areDrawnAsOneAndSaySo(
      int width, int steps, int columns, String note) throws Exception {
    browser.resize(width, 900);
    open(PlantedStraggler.run(3, steps, 1));
    awaitMap();
    assertThat(browser.number("document.querySelector('.heat').dataset.columns"))
        .isEqualTo(columns);
    assertThat(browser.text("#workers")).contains(note);
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
    browser.assertNoComplaints();
  }

  @Test
  void csv_hasTheWholeMatrix() throws Exception {
    open(PlantedRun.steps());
    awaitMap();
    browser.downloadTo(dir);
    browser.click("[data-csv=heat]");
    String csv = browser.downloaded(dir.resolve("planted-heat.csv"));
    assertThat(csv.lines())
        .containsExactly(
            "service,instance,rank,step 7,step 8,step 9,step 10,step 11,step 12,step 13,step 14,step 15,step 16,step 17,step 18",
            "actor,actor0,0" + ",18000000".repeat(12),
            "actor,actor1,1" + ",56000000".repeat(12));
  }

  @Test
  void outlierOfAllOthersSize_isMarkedWhereItLeavesTheScale() throws Exception {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int step = 0; step < 150; step++) {
      long root =
          planted.span(1 + step, 0, "pipeline_step", "driver@a", 1000 * step, 1000 * step + 900);
      for (int worker = 0; worker < 3; worker++) {
        int end = worker == 1 && step == 77 ? 800 : 10;
        planted.span(1 + step, root, "work", "w" + worker + "@b", 1000 * step, 1000L * step + end);
      }
    }
    open(planted);
    awaitMap();
    assertThat(browser.number("document.querySelector('.heat').dataset.cut")).isEqualTo(1);
    assertThat(browser.text("#workers .legend"))
        .contains("more than 3.3%, up to 89%")
        .contains("least 1.1%, median 1.1%, most 89%");
  }

  @ParameterizedTest
  @ValueSource(strings = {"one worker and one step", "no steps"})
  void runThatHasNothingToCompare_hasNoHeatMap(String situation) throws Exception {
    Planted planted = new Planted();
    planted.span(1, 0, situation.equals("no steps") ? "job" : "pipeline_step", "w1", 0, 100);
    open(planted);
    assertThat(browser.number("document.querySelectorAll('.heat').length")).isZero();
    browser.assertNoComplaints();
  }

  @Test
  void runWhoseWorkersDriveTheirOwnSteps_saysThatNoneIsBusyForOthers() throws Exception {
    Planted planted = new Planted();
    for (int step = 0; step < 4; step++) {
      long root =
          planted.span(1 + step, 0, "pipeline_step", "w" + step % 2, 100 * step, 100 * step + 90);
      planted.span(1 + step, root, "train", "w" + step % 2, 100 * step, 100 * step + 50);
    }
    open(planted);
    browser.await("document.querySelector('#heat-metric').value === 'busy'");
    browser.await(
        "document.querySelector('#workers').textContent.includes('Only the processes that drive')");
    choose(metricOf("train"));
    assertThat(browser.find(".heat").isDisplayed()).isTrue();
    browser.assertNoComplaints();
  }

  @Test
  void longNamesErrorsAndWeights_breakNothing() throws Exception {
    String name = "n".repeat(10_000);
    Planted planted = new Planted().standingFor(7);
    for (int step = 0; step < 3; step++) {
      long root = planted.span(1 + step, 0, "pipeline_step", "d@a", 100 * step, 100 * step + 90);
      planted.span(1 + step, root, name, name + step, 100 * step, 100 * step + 50, "failure", name);
    }
    open(planted);
    awaitMap();
    choose("name 1");
    assertThat(browser.text("#workers")).contains("Of the traces that were taken.");
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(1280);
    browser.assertNoComplaints();
  }

  @Test
  void pageWhereNeighboursAreJoined_saysWhatItDoesNotKnow() throws Exception {
    open(PlantedStraggler.run(40, 12, 7));
    awaitMap();
    // What PageHeat writes of more than a million spans, which would take minutes to plant.
    browser.run(
        """
        const { busy } = app.report.heat;
        app.report.heat.names = [{ name: numberOfName(app.model, 'worker.generate'), ...busy }];
        app.model.isEverySpan = false;
        drawWorkers();
        app.names.toggle('worker.generate');
        """);
    choose(metricOf("worker.generate"));
    assertThat(topWorker()).isEqualTo("actor · rank 7");
    assertThat(browser.text("#workers")).contains("so that only 1 name can be chosen");
    browser.await("document.querySelector('#workers').textContent.includes('drawn as one')");
    assertThat(browser.text(".durations"))
        .contains("Percentiles by step are not known here: neighbouring spans are drawn as one");
  }
}
