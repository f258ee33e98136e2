package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The timeline of a thousand workers, in a real browser. */
class PageLanesIT extends BrowserTest {

  private Path open() throws IOException {
    return browser.open(
        PlantedRun.page(CrowdedRun.planted(), ReportOptions.latestRun()),
        dir.resolve("page.html"));
  }

  @Test
  void thousandWorkers_first() throws Exception {
    Path file = open();
    System.out.println("size " + Files.size(file));
    System.out.println("ready " + browser.number("performance.getEntriesByName('ready')[0].startTime"));
    Files.copy(file, Path.of("/tmp/tl/page.html"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    for (int width : new int[] {1440, 2560, 390}) {
      browser.resize(width, width < 600 ? 800 : 1000);
      browser.run("location.hash = '#timeline'");
      browser.picture(Path.of("/tmp/tl/first-" + width + ".png"));
    }
    browser.resize(1440, 1000);
    browser.run("document.querySelector('.head.group .label').click()");
    browser.picture(Path.of("/tmp/tl/unfolded-1440.png"));
    System.out.println(browser.run("return performance.getEntriesByType('measure').map((m) => m.name + ' ' + m.duration.toFixed(1)).join(', ')"));
    browser.assertNoComplaints();
  }
}
