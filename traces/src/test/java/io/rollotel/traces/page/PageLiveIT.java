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
