package io.rollotel.traces.page;

import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Makes the pictures of the documents, of a run of the demo: see {@code docs/pictures}. */
@Tag("engines")
@EnabledIfSystemProperty(named = "pictures.run", matches = ".+")
class PicturesIT {

  private static final int WIDTH = 1280;

  private @TempDir Path directory;

  @Test
  void partsOfThePage_arePictures() throws Exception {
    Path run = Path.of(System.getProperty("pictures.run"));
    Path before = Path.of(System.getProperty("pictures.against"));
    Path to = Path.of(System.getProperty("pictures.to"));
    try (PageBrowser browser = new PageBrowser(directory.resolve("profile"))) {
      browser.prefer("light");
      browser.open(
          HtmlPage.read(List.of(run), ReportOptions.latestRun()), directory.resolve("page.html"));
      browser.resize(WIDTH, 760);
      browser.picture(to.resolve("page-overview.png"));
      browser.run("location.hash = '#timeline'");
      browser.picture(to.resolve("page-timeline.png"));
      browser.run("location.hash = '#why'");
      browser.picture(to.resolve("page-why.png"));
      browser.run("location.hash = '#workers'");
      browser.run("document.getElementById('heat-metric').scrollIntoView({ block: 'center' })");
      browser.picture(to.resolve("page-heat.png"));
      browser.run("app.trace.open(app.report.steps.bars.at(-3).item)");
      browser.await("!document.getElementById('trace').hidden");
      browser.run("document.getElementById('trace').scrollIntoView()");
      browser.picture(to.resolve("page-trace.png"));
      HtmlPage page = HtmlPage.read(List.of(run), ReportOptions.latestRun());
      RunReport baseline = RunReport.read(List.of(before), ReportOptions.latestRun());
      browser.open(
          page.against(baseline, page.report().against(baseline)), directory.resolve("two.html"));
      browser.resize(WIDTH, 1100);
      browser.run("document.getElementById('against').scrollIntoView()");
      browser.picture(to.resolve("page-against.png"));
    }
  }
}
