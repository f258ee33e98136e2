package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page's address, opened with another state of the same run, in a real browser. */
class PageAddressIT extends BrowserTest {

  private static final long MS = PlantedRun.MS;

  private Path page(Planted planted) throws IOException {
    return browser.open(
        PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  @ParameterizedTest
  @ValueSource(ints = {-500, 0, 300})
  void spanThatArrivesLater_leavesTheAddressWhereItWas(int start) throws Exception {
    page(PlantedRun.steps());
    browser.run(
        """
        app.timeline.set(200e6, 400e6);
        app.timeline.range.select([250e6, 350e6]);
        app.trace.showTrace('%032x');
        app.trace.set(340e6, 380e6);
        """
            .formatted(4));
    browser.await("location.hash.includes('tracezoom=')");
    assertThat((String) browser.run("return location.hash"))
        .contains("zoom=200000000..400000000", "since=" + Planted.START);
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    Planted more = PlantedRun.steps();
    more.span(99, 0, "load", "other@z", start, start + 20);
    page(more);
    browser.load("about:blank");
    browser.open(address);
    browser.await("document.body.dataset.address");
    long later = Math.max(0, -start);
    assertThat(browser.run("return app.timeline.view.range.map(Math.round).join()"))
        .isEqualTo((250 + later) * MS + "," + (350 + later) * MS);
    assertThat(browser.number("Math.round(app.timeline.view.from)")).isEqualTo((200 + later) * MS);
    assertThat(browser.number("Math.round(app.trace.from)")).isEqualTo((340 + later) * MS);
    browser.assertNoComplaints();
  }
}
