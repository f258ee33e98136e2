package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedRecording;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of a run that is still on, as its collector serves it, in a real browser. */
class PageLiveIT extends BrowserTest {

  private EmbeddedCollector start(int port) throws IOException {
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            port,
            CollectorSettings.NONE,
            null,
            CollectorSettings.ofDriver().limits(),
            FileRules.DEFAULT,
            new CollectorSettings.Page(true, null));
    return EmbeddedCollector.start(dir.toFile(), "5ecret", settings, line -> {});
  }

  private void write(String name, int id) throws Exception {
    long start = Planted.START + id * PlantedRun.MS;
    byte[] request = Requests.of(List.of(Requests.span(id, id, 0, name, start, PlantedRun.MS)));
    PlantedFile.write(dir.resolve("traces").resolve(name + ".jsonl"), request);
  }

  @Test
  void runThatIsOn_saysHowOldItsDataAreWithoutReadingThatOut() throws Exception {
    write("first", 1);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      assertThat(browser.text("#live")).isEqualTo("Live");
      String age =
          "Number(/updated (\\d+) s ago/.exec(document.getElementById('live-age').textContent)?.[1])";
      browser.await(age + " >= 2");
      double first = browser.number(age);
      browser.await(age + " > " + first);
      assertThat(browser.run("return document.getElementById('live-age').closest('[role]')"))
          .as("no live region around it")
          .isNull();
      write("second", 2);
      browser.await("document.getElementById('names').textContent.includes('second')");
      assertThat(browser.text("#live-age")).matches("updated (just now|\\d+ s ago)");
      browser.assertNoComplaints();
    }
  }

  @Test
  void collectorThatGoesAway_isToldWithACommandUntilItIsBack() throws Exception {
    write("first", 1);
    int port;
    try (EmbeddedCollector collector = start(0)) {
      port = collector.endpoint().getPort();
      browser.open(collector.endpoint() + "/");
      assertThat(browser.find("#lost").isDisplayed()).isFalse();
    }
    browser.await("!document.getElementById('lost').hidden");
    assertThat(browser.text("#lost"))
        .matches(
            "(?s)Connection to the collector lost at \\d\\d:\\d\\d:\\d\\d; showing data up to"
                + " \\d\\d:\\d\\d:\\d\\d\\..*")
        .contains("java -jar roll-otel-agent.jar report " + dir + " --open");
    assertThat(browser.text("#live")).isEqualTo("Connection lost");
    assertThat(browser.text("#names")).contains("first");
    write("second", 2);
    try (EmbeddedCollector again = start(port)) {
      assertThat(again.endpoint().getPort()).isEqualTo(port);
      browser.await("document.getElementById('lost').hidden");
      browser.await("document.getElementById('names').textContent.includes('second')");
      assertThat(browser.text("#live")).isEqualTo("Live");
    }
  }

  /** A step of two phases, in nanoseconds. */
  private void writeStep(int step, long playNanos, long learnNanos) throws Exception {
    long start = Planted.START + step * PlantedRun.MS;
    byte[] request =
        Requests.of(
            List.of(
                Requests.span(step, 3 * step, 0, "pipeline_step", start, playNanos + learnNanos),
                Requests.span(step, 3 * step + 1, 3 * step, "play", start, playNanos),
                Requests.span(
                    step, 3 * step + 2, 3 * step, "learn", start + playNanos, learnNanos)));
    PlantedFile.write(dir.resolve("traces").resolve("step" + step + ".jsonl"), request);
  }

  @Test
  void phaseThatIsShownAlone_isThatPhaseInEachState() throws Exception {
    writeStep(2, 50_000, 20_000);
    writeStep(3, 50_000, 20_000);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.click("#steps .legend button:nth-child(2)");
      String shown = "document.querySelector('#steps canvas').dataset.order";
      assertThat(browser.run("return " + shown)).isEqualTo("learn");
      writeStep(4, 50_000, 900_000); // now learn has more time than play
      browser.await("app.report.steps.count === 3");
      assertThat(browser.run("return " + shown)).isEqualTo("learn");
      assertThat(browser.text("#steps .legend button[aria-pressed=true]")).isEqualTo("learn");
      browser.assertNoComplaints();
    }
  }

  @Test
  void viewOfAStretch_staysAtItsMomentWhenEarlierSpansArrive() throws Exception {
    writeStep(5, 500_000, 200_000);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.run("app.timeline.set(100000, 200000); app.timeline.range.select([300000, 400000])");
      writeStep(2, 500_000, 200_000);
      browser.await("app.report.steps.count === 2");
      assertThat(browser.run("return [app.timeline.view.from, ...app.timeline.view.range]"))
          .isEqualTo(List.of(3_100_000L, 3_300_000L, 3_400_000L));
      browser.assertNoComplaints();
    }
  }

  @Test
  void openSpans_comeFirstWhileTheRunIsOn() throws Exception {
    write("first", 1);
    PlantedRecording.write(dir, "worker.hang", 7);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.await("document.getElementById('open').textContent.includes('worker.hang')");
      assertThat(browser.run("return document.querySelector('main section:not([hidden])').id"))
          .isEqualTo("open");
      assertThat(browser.text(".top nav")).startsWith("Open");
      browser.assertNoComplaints();
    }
  }

  @Test
  void lostConnection_fitsAPhone() throws Exception {
    write("first", 1);
    PlantedRecording.write(dir, "worker.hang", 7);
    browser.resize(390, 800);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.await("!document.getElementById('live-age').hidden");
      assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
    }
    browser.await("!document.getElementById('lost').hidden");
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
    browser.run(PageAccessibilityIT.axe());
    assertThat(browser.runAsync(PageAccessibilityIT.RULES)).isEqualTo(List.of());
    browser.resize(1440, 900);
  }
}
