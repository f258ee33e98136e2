package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Colours and the steps over time, in a real browser. */
class PageStepsIT extends BrowserTest {

  /**
   * Steps that fetch, play and learn, and call what they play on a worker.
   *
   * @param firstNanos how long the first step plays
   * @param playNanos how long the others do
   * @param learnNanos how long each learns
   */
  private static Planted run(long firstNanos, long playNanos, long learnNanos) {
    Planted planted = new Planted();
    long at = 0;
    for (int step = 1; step <= 20; step++) {
      long play = step == 1 ? firstNanos : playNanos;
      long end = at + 1000 + play + learnNanos;
      long root = planted.span(step, 0, "pipeline_step", "d@a", at, end, "global_step", "" + step);
      planted.span(step, root, "fetch_batch", "d@a", at, at + 1000);
      long phase = planted.span(step, root, "explore", "d@a", at + 1000, at + 1000 + play);
      planted.span(step, phase, "worker.play", "w1@b", at + 1100, at + 900 + play);
      planted.span(step, root, "train", "d@a", at + 1000 + play, end);
      at = end + 100;
    }
    return planted;
  }

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private String colors() {
    return (String)
        browser.run(
            """
            const of = (name) => nameColor(app.report.names.findIndex((one) => one.name === name));
            return ['pipeline_step', 'fetch_batch', 'explore', 'worker.play', 'train'].map(of).join();
            """);
  }

  @Test
  void colours_areThoseOfTheNamesWhateverTheyTake() throws Exception {
    open(run(40_000, 40_000, 9_000));
    String colors = colors();
    assertThat(colors.split(",")).doesNotHaveDuplicates().hasSize(5);
    assertThat(browser.run("return mixed(arguments[0], 0.3)", colors.split(",")[2]))
        .as("a call has the hue of the phase that makes it")
        .isEqualTo(colors.split(",")[3]);
    open(run(4_000, 4_000, 90_000));
    assertThat(colors()).as("another order by total").isEqualTo(colors);
    browser.assertNoComplaints();
  }

  @Test
  void colours_ofALaterStateTakeNoOthersPlace() throws Exception {
    open(run(4_000, 4_000, 9_000));
    String added =
        (String)
            browser.run(
                """
                const colors = new NameColors();
                const given = ['b', 'c'].map((name) => colors.colorOf(name));
                for (let i = 0; i < 40; i++) colors.colorOf('later' + i);
                return [...given, 'b', 'c'].map((one) => one.length > 1 ? one : colors.colorOf(one)).join();
                """);
    assertThat(added.split(",")[2]).isEqualTo(added.split(",")[0]);
    assertThat(added.split(",")[3]).isEqualTo(added.split(",")[1]);
  }

  @Test
  void outlier_isCutOffAndTheOthersKeepTheirHeight() throws Exception {
    open(run(4_000_000, 40_000, 9_000));
    assertThat(chart("order")).as("by first occurrence").isEqualTo("fetch_batch,explore,train,");
    assertThat(chart("cut")).isEqualTo("1");
    assertThat(Long.parseLong(chart("most"))).as("a round tick").isEqualTo(60_000L);
    browser.click("#steps-cut");
    assertThat(chart("cut")).isEqualTo("0");
    assertThat(Long.parseLong(chart("most"))).isEqualTo(6_000_000L);
    browser.click("#steps-log");
    assertThat(browser.find("#steps-cut").isDisplayed()).isFalse();
    assertThat(browser.find("#steps-log").getDomAttribute("aria-pressed")).isEqualTo("true");
    browser.assertNoComplaints();
  }

  @Test
  void phase_canBeSeenAlone() throws Exception {
    open(run(40_000, 40_000, 9_000));
    browser.click("#steps .legend button:nth-child(3)");
    assertThat(chart("order")).isEqualTo("train");
    assertThat(Long.parseLong(chart("most"))).isEqualTo(10_000L);
    browser.click("#steps .legend button:nth-child(3)");
    assertThat(chart("order")).isEqualTo("fetch_batch,explore,train,");
    browser.assertNoComplaints();
  }

  @Test
  void manyPhases_areNotUnattributed() throws Exception {
    Planted planted = new Planted();
    for (int step = 1; step <= 3; step++) {
      long at = step * 1_000_000L;
      long root = planted.span(step, 0, "pipeline_step", "d@a", at, at + 205_000);
      for (int phase = 0; phase < 200; phase++) {
        long begin = at + 1000L * phase;
        planted.span(step, root, "phase" + phase, "d@a", begin, begin + 1000);
      }
    }
    open(planted);
    assertThat(browser.text("#overview"))
        .contains("other phases\n585 µs\n95%", "unattributed\n15.0 µs\n2.4%");
    assertThat(browser.run("return app.chart.parts(app.report.steps.bars[0]).slice(-2)"))
        .isEqualTo(List.of(List.of(-3L, 188_000L), List.of(-2L, 5_000L)));
    assertThat(browser.text("#steps .legend")).contains("phases that are not listed");
    assertThat(browser.run("return app.chart.words(app.report.steps.bars[0])[1].textContent"))
        .isEqualTo(" unattributed 5.00 µs");
    browser.assertNoComplaints();
  }

  @Test
  void legend_namesEachPhaseOfTheChart() throws Exception {
    Planted planted = new Planted();
    for (int step = 1; step <= 3; step++) {
      long at = step * 1_000_000L;
      long root = planted.span(step, 0, "pipeline_step", "d@a", at, at + 100_000);
      for (int phase = 0; phase < 14; phase++) {
        long begin = at + 7000L * phase;
        planted.span(step, root, "phase" + phase, "d@a", begin, begin + 6900 - 100L * phase);
      }
    }
    open(planted);
    assertThat(browser.text("#steps .legend"))
        .contains("phase0", "phase8", "phase11", "phases that are not listed", "unattributed")
        .doesNotContain("phase12", "phase13");
    assertThat(browser.run("return app.chart.words(app.report.steps.bars[0]).length"))
        .as("the heading, 14 phases and the rest")
        .isEqualTo(16L);
    browser.run("location.hash = 'steps?phase=pipeline_step'");
    browser.await("document.body.dataset.address === '#steps?phase=pipeline_step'");
    assertThat(chart("order").split(",", -1)).as("all phases, as none is chosen").hasSize(14);
    browser.click("#steps .legend button:nth-child(13)"); // phases that are not listed
    browser.await("location.hash.includes('phases=unlisted')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    assertThat(browser.text("#steps .legend button[aria-pressed=true]"))
        .isEqualTo("phases that are not listed");
    browser.assertNoComplaints();
  }

  private String chart(String what) {
    return (String)
        browser.run("return document.querySelector('#steps canvas').dataset[arguments[0]]", what);
  }
}
