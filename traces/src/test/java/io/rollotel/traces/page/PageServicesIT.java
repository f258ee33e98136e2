package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of services, in a real browser. */
class PageServicesIT extends BrowserTest {

  private Path open(Planted planted) throws IOException {
    return browser.open(
        PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private List<String> texts(String selector) {
    Object texts =
        browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector);
    return ((List<?>) texts).stream().map(String::valueOf).toList();
  }

  @Test
  void pageOfServices_opensOnRateErrorsAndDurationAndKnowsNoDriver() throws IOException {
    open(PlantedServices.shop());
    assertThat(browser.text("#overview .requests"))
        .startsWith("↓ CSV\nRequests over time")
        .contains("POST /order\n200 9.94/s ▲ 5.0% 120 ms 210 ms 218 ms 220 ms")
        .contains("GET /search\n50 2.49/s 0% 12.0 ms 12.0 ms 12.0 ms 12.0 ms");
    assertThat(browser.text("main")).doesNotContainPattern("(?i)\\bdriver|bubble|\\bsteps?\\b");
    assertThat(browser.text(".top nav")).contains("Services", "Traces").doesNotContain("Steps");
    browser.assertNoComplaints();
  }

  @Test
  void graphOfServices_hasABoxForEachAndALineForEachPair() throws IOException {
    open(PlantedServices.shop());
    assertThat(texts(".graph .service .name"))
        .containsExactlyInAnyOrder("gateway", "shop", "auth", "store", "index");
    assertThat(texts(".graph .call title"))
        .contains("shop → store: 200 · p95 200 ms · ▲ 5.0%", "store → store: 20 · p95 198 ms");
    assertThat(browser.text("#services .two > div:last-child table")).contains("shop\nstore\n200");
  }

  @Test
  void requestThatIsChosen_isAloneAmongRatesAndTraces() throws IOException {
    open(PlantedServices.shop());
    browser.click("[data-root='GET /search']");
    assertThat(browser.text("#overview .requests .question"))
        .isEqualTo("Requests over time: GET /search");
    assertThat(texts("#traces tbody td:first-child")).hasSize(20).containsOnly("GET /search");
    assertThat(browser.run("return document.activeElement.dataset.root"))
        .as("the keyboard stays")
        .isEqualTo("GET /search");
    browser.click("[data-failed='true']");
    assertThat(browser.text("#traces")).contains("None of these traces has an error.");
    browser.click("[data-root='GET /search']");
    assertThat(texts("#traces tbody td:last-child")).hasSize(10).containsOnly("502");
    browser.assertNoComplaints();
  }

  @Test
  void slowTrace_opensAsAWaterfall() throws IOException {
    open(PlantedServices.shop());
    browser.click("#traces tbody button");
    browser.await("!document.getElementById('trace').hidden");
    assertThat(browser.text("#trace")).contains("POST /order", "insert", "replicate");
    browser.assertNoComplaints();
  }

  @Test
  void address_holdsWhatIsChosen() throws IOException {
    Path page = open(PlantedServices.shop());
    browser.run("document.querySelector(\"[data-failed='true']\").click()");
    browser.run("document.querySelector(\"[data-root='POST /order']\").click()");
    browser.await("location.hash.includes('failed=only')");
    Object hash = browser.run("return location.hash");
    browser.load("about:blank");
    browser.open(page.toUri() + hash.toString());
    browser.await("document.querySelector('#traces select').value === '0'");
    assertThat(texts("#traces tbody td:last-child")).hasSize(10).containsOnly("502");
  }

  @Test
  void graph_fitsTheWindowThatChanges() throws IOException {
    open(PlantedServices.shop());
    double wide = browser.number("document.querySelector('.graph svg').getAttribute('width')");
    browser.resize(390, 800);
    browser.run("dispatchEvent(new Event('resize'))");
    browser.await("Number(document.querySelector('.graph svg').getAttribute('width')) < " + wide);
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
  }

  @Test
  void strangeRequests_areShown() throws IOException {
    Planted planted = new Planted();
    planted.span(1, 0, "", "@a", 0, 0);
    planted.span(2, 0, "<b>" + "n".repeat(10_000), "s".repeat(10_000) + "@b", 0, 0, "failure", "");
    planted.span(3, 2, "child", "<i>x</i>@c", 0, 0);
    open(planted);
    assertThat(browser.text("#overview .requests")).contains("(no name)", "<b>nnn");
    assertThat(browser.text("#services")).contains("(unnamed service)", "<i>x</i>");
    assertThat(browser.number("document.documentElement.scrollWidth - innerWidth"))
        .isLessThanOrEqualTo(0);
    browser.assertNoComplaints();
  }

  @Test
  void oneSpan_isAPage() throws IOException {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    planted.span(1, 0, "GET /x", "web@a", 0, 5);
    open(planted);
    assertThat(browser.text("#overview .requests")).contains("GET /x\n1 200/s 0% 5.00 ms");
    assertThat(browser.text("#services")).contains("No service called another one.");
    assertThat(browser.find(".graph").isDisplayed()).as("a graph of one service").isFalse();
    browser.assertNoComplaints();
  }
}
