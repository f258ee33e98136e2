package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The heat map of workers and steps, in a real browser. */
class PageHeatIT extends BrowserTest {

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.await("document.querySelector('.heat').dataset.rows");
  }

  @Test
  void look() throws Exception {
    Path to = Path.of("target");
    browser.resize(1440, 900);
    browser.prefer("light");
    open(PlantedStraggler.run(1000, 200, 777));
    System.out.println("bytes " + java.nio.file.Files.size(dir.resolve("page.html")));
    System.out.println(browser.run("return JSON.stringify(Object.fromEntries(Object.entries(app.report.heat).map(([k, v]) => [k, JSON.stringify(v).length])))"));
    System.out.println(browser.run("return app.model.worker(Number(document.querySelector('.heat').dataset.top))"));
    for (String metric : new String[] {"busy", "idle", "cost", "queue", "name 1"}) {
      browser.run("app.heat.choose(arguments[0])", metric);
      browser.await("document.querySelector('.heat').dataset.metric === '" + metric + "'");
      System.out.println(metric + " " + browser.run("return app.model.worker(Number(document.querySelector('.heat').dataset.top))"));
      browser.run("document.querySelector('.heat').closest('.card').scrollIntoView({block: 'start'})");
      browser.picture(to.resolve("heat-" + metric + ".png"));
    }
    java.nio.file.Files.copy(dir.resolve("page.html"), to.resolve("heat-page.html"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    open(PlantedStraggler.run(12, 40, 7));
    java.nio.file.Files.copy(dir.resolve("page.html"), to.resolve("heat-small.html"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    browser.assertNoComplaints();
  }
}
