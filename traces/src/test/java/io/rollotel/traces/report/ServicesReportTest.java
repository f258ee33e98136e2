package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** Which service calls which, how often, how long, and how often that fails. */
class ServicesReportTest {

  private static final long MS = 1_000_000;

  private final Planted planted = new Planted().inUnitsOf(MS);

  private ReportContents contents() {
    return PlantedContents.of(planted);
  }

  /** A request of 100 ms to web, which calls the store: i ms the i-th time. */
  private void requests(int count) {
    for (int i = 1; i <= count; i++) {
      long at = 100L * (i - 1);
      long root = planted.span(i, 0, "GET /x", "web@a", at, at + 100);
      long client = planted.span(i, root, "SELECT", "web@a", at, at + i, "kind", Span.CLIENT);
      planted.span(i, client, "query", "store@b", at, at + i, "kind", Span.SERVER);
    }
  }

  private static Tuple numbers(String from, String to, ServiceRows.Requests of) {
    return tuple(from, to, of.count(), of.errors(), of.p50Nanos() / MS, of.p95Nanos() / MS);
  }

  private List<Tuple> calls() {
    return contents().serviceRows().calls().stream()
        .map(one -> numbers(one.caller(), one.callee(), one.requests()))
        .toList();
  }

  private List<Tuple> services() {
    return contents().serviceRows().services().stream()
        .map(one -> numbers("", one.service(), one.requests()))
        .toList();
  }

  @Test
  void requestsToServices_haveRateErrorsAndDurations() {
    requests(100);
    assertThat(services())
        .containsExactly(
            tuple("", "store", 100L, 0L, 50L, 95L), tuple("", "web", 100L, 0L, 100L, 100L));
    assertThat(calls()).containsExactly(tuple("web", "store", 100L, 0L, 50L, 95L));
    assertThat(contents().serviceRows().calls().get(0).requests().perSecond())
        .isEqualTo(10, within(1e-12));
  }

  @Test
  void callThatFailed_countsAtTheCalleeOrAtItsClient() {
    long client = planted.span(1, 0, "GET", "web@a", 0, 9, "kind", Span.CLIENT, "failure", "late");
    planted.span(1, client, "query", "store@b", 1, 8, "kind", Span.SERVER);
    client = planted.span(2, 0, "GET", "web@a", 10, 19, "kind", Span.CLIENT);
    planted.span(2, client, "query", "store@b", 11, 18, "failure", "no such table");
    long root = planted.span(3, 0, "GET", "web@a", 20, 29, "failure", "something else");
    planted.span(3, root, "query", "store@b", 21, 28);
    assertThat(calls()).as("calls").containsExactly(tuple("web", "store", 3L, 2L, 7L, 7L));
    assertThat(services())
        .as("of the services alone what they did")
        .containsExactly(tuple("", "store", 3L, 1L, 7L, 7L), tuple("", "web", 3L, 2L, 9L, 9L));
  }

  @Test
  void processesOfOneService_callEachOther() {
    long root = planted.span(1, 0, "put", "store0@a", 0, 9);
    planted.span(1, root, "replicate", "store1@b", 1, 8);
    planted.span(1, root, "write", "store0@a", 1, 2);
    assertThat(calls()).containsExactly(tuple("store", "store", 1L, 0L, 7L, 7L));
    assertThat(services()).containsExactly(tuple("", "store", 2L, 0L, 7L, 9L));
  }

  @Test
  void spanWhoseParentIsLost_isARequestAndNoCall() {
    planted.span(1, 0, "GET /x", "web@a", 0, 9);
    planted.span(1, 77, "query", "store@b", 1, 8);
    assertThat(services()).hasSize(2);
    assertThat(calls()).isEmpty();
  }

  @Test
  void tracesThatStandForOthers_countAsSoMany() {
    planted.standingFor(10);
    requests(2);
    assertThat(calls()).containsExactly(tuple("web", "store", 20L, 0L, 1L, 2L));
  }

  @Test
  void runWithSteps_hasNoServices() {
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 9);
    planted.span(1, step, "generate", "actor0@b", 1, 8);
    assertThat(services()).isEmpty();
    assertThat(calls()).isEmpty();
  }

  @Test
  void text_beginsWithRateErrorsAndDurationsAndHasWhoCallsWhom() {
    requests(100);
    planted.span(101, 0, "GET /y", "web@a", 0, 1, "failure", "500");
    StringWriter text = new StringWriter();
    ReportWriter out = new ReportWriter(text);
    ReportContents contents = contents();
    new SummaryText(contents, out).print();
    new ReportText(contents, out).print();
    String lines = text.toString().replace(System.lineSeparator(), "\n");
    assertThat(lines)
        .contains(
            """
            How fast are the requests, and how many fail? 101 traces, 10.10 a second, 1 failed (1.0%):
              traces of  count  a second  errors""")
        .contains(
            """

              from  to     calls  a second  errors      p50      p95      p99
              web   store    100     10.00      0%  50.0 ms  95.0 ms  99.0 ms
            """);
    assertThat(lines.indexOf("How fast")).isLessThan(lines.indexOf("Where is the time"));
  }

  @Test
  void json_hasTheSame() {
    requests(100);
    StringWriter json = new StringWriter();
    ReportJson.write(contents(), null, new TraceUrlTemplate(null), new PrintWriter(json));
    assertThat(json.toString())
        .contains(
            "\"services\":[{\"service\":\"store\",\"count\":100,\"perSecond\":10.0,\"errors\":0,",
            "\"serviceCalls\":[{\"caller\":\"web\",\"callee\":\"store\",\"count\":100,",
            "\"p99Nanos\":99000000,\"maxNanos\":100000000}]");
  }
}
