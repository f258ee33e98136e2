package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.report.ReportOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** The query, which holds in all views, in a real browser. */
class PageQueryIT extends BrowserTest {

  private static final String FIELD = "#timeline input[type=search]";

  private void open() throws Exception {
    browser.open(
        PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private void type(String query) {
    browser.find(FIELD).sendKeys(query);
  }

  private void awaitFound(int found) {
    browser.await("document.querySelector('.lanes').dataset.found === '" + found + "'");
  }

  @SuppressWarnings("unchecked")
  private List<String> offered() {
    browser.await("document.querySelector('#timeline .completions li')");
    return (List<String>)
        browser.run(
            "return [...document.querySelectorAll('#timeline .completions li code')].map((one) => one.textContent)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          name:generate rank:1                      | 12
          name=worker.generate dur>=50ms            | 12
          worker.generate -status:error batch.size=128 | 12
          batch.size>127 step:9                     |  1
          status:error OR train path:yes            | 13
          step:7                                    |  5
          start>=1.2s                               |  5
          host:b                                    | 12
          """)
  void query_findsSpans(String query, int found) throws Exception {
    open();
    type(query);
    awaitFound(found);
    assertThat(browser.text("#timeline .found")).isEqualTo(found + " of 60 spans");
    assertThat(browser.text("#query-count")).isEqualTo(found + " of 60 spans match");
    browser.assertNoComplaints();
  }

  @Test
  void enterRightAfterTheLastKey_goesToAMatchOfTheWholeQuery() throws Exception {
    open();
    type("pipeline");
    awaitFound(12);
    browser.run(
        """
        const field = document.querySelector(arguments[0]);
        field.value = 'name=worker.generate';
        field.dispatchEvent(new InputEvent('input'));
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
        """,
        FIELD);
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details h2")).isEqualTo("worker.generate");
    assertThat(browser.text("#timeline .found")).startsWith("1 of ");
    browser.assertNoComplaints();
  }

  @Test
  void query_holdsInAllViews() throws Exception {
    open();
    browser.run("app.trace.open(app.report.steps.bars[4].item); app.timeline.select(-1)");
    type("status:error");
    awaitFound(1);
    browser.await("document.querySelector('.waterfall').dataset.found === '1'");
    assertThat(browser.text("#query-bar")).contains("status:error", "1 of 60 spans match");
    assertThat(browser.text("#trace .found")).isEqualTo("1 of 5 rows match the page’s query");
    for (String part : List.of("calls", "names", "workers", "trouble")) {
      assertThat(browser.text("#" + part)).as(part).contains("1 of 60 spans match the query.");
    }
    assertThat(browser.text("#names tbody")).startsWith("worker.generate\n1 24 ");
    assertThat(browser.number("document.querySelectorAll('#names tbody tr').length")).isEqualTo(1);
    assertThat(browser.number("document.querySelectorAll('#workers table tbody tr').length"))
        .isGreaterThan(0);
    assertThat(browser.text("#workers tbody")).contains("rank 1").doesNotContain("rank 0");
    assertThat(browser.text("#trouble")).contains("out of memory");
    assertThat(browser.number("document.querySelectorAll('.icicle button.found').length"))
        .isEqualTo(1);
    assertThat(browser.text("#calls")).doesNotContain("match the query;");
    browser.click("#query-clear");
    awaitFound(0);
    assertThat(browser.find("#query-bar").isDisplayed()).isFalse();
    assertThat(browser.text("#timeline .found")).isEqualTo("60 spans");
    assertThat(browser.text("#names")).doesNotContain("match the query", "Matching");
    assertThat(browser.number("document.querySelectorAll('#names tbody tr').length")).isEqualTo(4);
    assertThat(browser.run("return app.timeline.search.value")).isEqualTo("");
    browser.assertNoComplaints();
  }

  @Test
  void workerInTheTables_leadsToItsSpans() throws Exception {
    open();
    browser.click("#workers tbody tr:nth-child(2) button");
    awaitFound(12);
    assertThat(browser.run("return app.timeline.search.value"))
        .isEqualTo("worker=\"actor actor1\"");
    browser.click("#workers .card:nth-of-type(3) tbody tr td:nth-child(5) button");
    browser.await("app.timeline.search.value.includes('name=')");
    awaitFound(12);
    assertThat(browser.run("return app.timeline.search.value"))
        .isEqualTo("worker=\"actor actor1\" name=worker.generate");
    browser.assertNoComplaints();
  }

  @Test
  void longestWaitInAQueue_leadsToTheCallThatWaited() throws Exception {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 1000);
    for (int call = 0; call < 3; call++) {
      long begin = 500 + 100 * call;
      long queueNanos = (begin - 10) * 1_000_000;
      planted.span(1, step, "work", "w1@b", begin, 990, "roll.queue_ns", queueNanos);
    }
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.click("#workers .card:last-of-type tbody tr td:nth-last-child(2) button");
    awaitFound(1);
    assertThat(browser.run("return app.timeline.search.value"))
        .isEqualTo("name=work queue>=690000000ns");
    browser.assertNoComplaints();
  }

  @Test
  void slowestSpans_areThoseThatMatch() throws Exception {
    open();
    type("rank:0");
    awaitFound(12);
    assertThat(browser.text("#trouble"))
        .contains("No span that matches failed.", "18.0 ms")
        .doesNotContain("60.0 ms", "out of memory");
    browser.assertNoComplaints();
  }

  @Test
  void wrongQuery_saysWhereAndWhatToDo() throws Exception {
    open();
    type("rank:1 dur>1");
    browser.await("!document.querySelector('#timeline .wrong').hidden");
    browser.await("document.querySelector('#timeline .wrong').textContent.includes('time')");
    assertThat(browser.text("#timeline .wrong"))
        .isEqualTo(
            "Character 12: dur is a time: write a number with ns, us, ms, s, m or h, such as"
                + " 20ms.");
    assertThat(browser.text("#query-count")).isEqualTo("cannot be read: all spans are shown");
    assertThat(browser.find(FIELD).getDomAttribute("aria-invalid")).isEqualTo("true");
    type("0ms");
    awaitFound(12);
    assertThat(browser.find("#timeline .wrong").isDisplayed()).isFalse();
    browser.assertNoComplaints();
  }

  @Test
  void attributeThatNoSpanHas_isNamed() throws Exception {
    open();
    type("batch.sise=128");
    browser.await("document.querySelector('#timeline .wrong').textContent.includes('batch.sise')");
    assertThat(browser.text("#timeline .found")).isEqualTo("0 of 60 spans");
    browser.assertNoComplaints();
  }

  @Test
  void completion_worksByKeyboard() throws Exception {
    open();
    type("stat");
    assertThat(offered()).containsExactly("status:");
    browser.type(Keys.ARROW_DOWN);
    String active = browser.find(FIELD).getDomAttribute("aria-activedescendant");
    assertThat(browser.find("#" + active).getDomAttribute("aria-selected")).isEqualTo("true");
    browser.type(Keys.ENTER);
    browser.await("app.timeline.search.value === 'status:'");
    browser.await("document.querySelectorAll('#timeline .completions li').length === 3");
    assertThat(offered()).containsExactly("status:error", "status:ok", "status:open");
    browser.type(Keys.ARROW_UP);
    browser.type(Keys.ARROW_UP);
    browser.type(Keys.TAB);
    browser.await("app.timeline.search.value === 'status:ok '");
    awaitFound(59);
    type("batch");
    browser.await(
        "document.querySelector('#timeline .completions code')?.textContent === 'batch.size='");
    browser.type(Keys.ESCAPE);
    browser.await("document.querySelector('#timeline .completions').hidden");
    assertThat(browser.run("return app.timeline.search.value")).isEqualTo("status:ok batch");
    browser.type(Keys.ESCAPE);
    awaitFound(0);
    assertThat(browser.run("return app.timeline.search.value")).isEqualTo("");
    browser.assertNoComplaints();
  }

  @Test
  void completion_worksByPointer() throws Exception {
    open();
    type("rank:");
    assertThat(offered()).containsExactly("rank:0", "rank:1");
    browser.click("#timeline .completions li:nth-child(2)");
    awaitFound(12);
    assertThat(browser.run("return app.timeline.search.value")).isEqualTo("rank:1 ");
    browser.assertNoComplaints();
  }

  @Test
  void traceHasASearchOfItsOwn_inTheSameLanguage() throws Exception {
    open();
    browser.run("app.trace.open(app.report.steps.bars[4].item)");
    browser.find("#trace input[type=search]").sendKeys("dur>50ms path:yes -name:pipeline*");
    browser.await("document.querySelector('.waterfall').dataset.found === '2'");
    assertThat(browser.text("#trace .found")).isEqualTo("2 of 5 rows");
    browser.find("#trace input[type=search]").sendKeys(" OR");
    browser.await("!document.querySelector('#trace .wrong').hidden");
    assertThat(browser.text("#trace .wrong")).startsWith("Character 35: OR belongs between");
    browser.assertNoComplaints();
  }

  @Test
  void address_holdsTheQuery() throws Exception {
    open();
    type("name:generate rank:1");
    awaitFound(12);
    browser.click("#matches-alone");
    browser.await("location.hash.includes('find=name') && location.hash.includes('matches=alone')");
    String address = (String) browser.run("return location.href");
    browser.load("about:blank");
    browser.open(address);
    awaitFound(12);
    assertThat(browser.run("return app.timeline.search.value")).isEqualTo("name:generate rank:1");
    assertThat(browser.find("#matches-alone").getDomAttribute("aria-pressed")).isEqualTo("true");
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "find=out+of+memory",
        "name=worker.generate&took=50000000..60000000",
        "find=attribute%3C/b%3E%20of%20step%2011"
      })
  void addressOfBefore_findsTheSame(String parameters) throws Exception {
    open();
    browser.load("about:blank");
    browser.open(dir.resolve("page.html").toUri() + "#timeline?" + parameters);
    awaitFound(parameters.contains("took") ? 12 : 1);
    browser.assertNoComplaints();
  }

  @Test
  void queryOfTheCommandLine_isThereWhenThePageOpens() throws Exception {
    ReportOptions options = ReportOptions.latestRun().withWhere(Query.parse("rank:1 dur>1ms"));
    browser.open(PlantedRun.page(PlantedRun.steps(), options), dir.resolve("page.html"));
    awaitFound(12);
    assertThat(browser.text("#query-bar")).contains("rank:1 dur>1ms", "12 of 60 spans match");
    browser.assertNoComplaints();
  }

  @Test
  void anotherStateOfTheRun_keepsTheQuery() throws Exception {
    open();
    type("rank:1");
    awaitFound(12);
    browser.run(
        """
        const old = app.model;
        app.model = Object.assign(Object.create(Object.getPrototypeOf(old)), old);
        app.timeline.follow(old);
        app.names.show();
        """);
    awaitFound(12);
    browser.await("app.filter.model === app.model");
    assertThat(browser.text("#names")).contains("12 of 60 spans match the query.");
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @ValueSource(ints = {390, 1440, 2560})
  void longQuery_overflowsNothing(int width) throws Exception {
    browser.resize(width, 900);
    Planted planted = new Planted();
    planted.span(1, 0, "x".repeat(10_000), "a1@b", 0, 10);
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
    type("name=");
    assertThat(offered()).hasSize(1);
    browser.type(Keys.ARROW_DOWN, Keys.ENTER);
    awaitFound(1);
    browser.await("document.documentElement.scrollWidth <= innerWidth");
    browser.assertNoComplaints();
  }
}
