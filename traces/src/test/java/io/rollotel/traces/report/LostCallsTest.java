package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls whose workers wrote elsewhere, and calls of which no spans are expected. */
class LostCallsTest {

  private final Planted planted = new Planted();

  private ReportContents contents(Recording... recordings) {
    RunAnalysis run = planted.analysisOf(recordings);
    return PlantedContents.of(run, run.open());
  }

  @ParameterizedTest
  @CsvSource({
    "a task of Ray's,                    4, ray.task_id, ,     0, 1",
    "it was executed,                    4, ray.task_id, ,     5, 0",
    "executed behind a server,           4, ray.task_id, ,     2, 0",
    "it has a child that is no receiver, 4, ray.task_id, ,     1, 1",
    "ends that would have to be joined,  4, roll.join,   ,     0, 1",
    "it failed,                          4, ray.task_id, dead, 0, 0",
    "an HTTP call to a third party,      3, http.method, ,     0, 0",
    "a message to somebody's queue,      4, messaging,   ,     0, 0",
    "an execution,                       5, ray.task_id, ,     0, 0",
  })
  void callWithoutAnExecution_countsWhereOneIsToBeExpected(
      String situation, int kind, String attribute, String failure, int childKind, int expected) {
    long call =
        failure == null
            ? planted.span(1, 0, "f ray.remote", "driver@a", 0, 9, "kind", kind, attribute, "x")
            : planted.span(
                1,
                0,
                "f ray.remote",
                "driver@a",
                0,
                9,
                "kind",
                kind,
                attribute,
                "x",
                "failure",
                failure);
    if (childKind != 0) {
      planted.span(1, call, "f", "w1@b", 2, 8, "kind", childKind);
    }
    ReportContents.LostCalls lost = contents().lostCalls();
    assertThat(lost == null ? 0 : lost.count()).as(situation).isEqualTo(expected);
  }

  @Test
  void callThatIsStillBeingExecuted_isNotLost() {
    long call = planted.span(1, 0, "f", "driver@a", 0, 9, "kind", 4, "ray.task_id", "x");
    assertThat(contents(planted.recording("w1@b", true, 50, planted.open(1, 7, call, "f", 3))))
        .extracting(ReportContents::lostCalls)
        .isNull();
  }

  /** No context could travel: the execution is the root of the trace that its call tells. */
  @Test
  void callWithoutAnArgumentThatIsStillBeingExecuted_isNotLost() {
    planted.span(
        1, 0, "f", "driver@a", 0, 9, "kind", 4, "roll.join", "ray.task_id", "ray.task_id", "x");
    Span call = planted.spans().get(0);
    String trace = CallJoins.derivedTraceId(call.resource().text("roll.run_id"), "x");
    OpenSpan root = new OpenSpan(trace, "00000000000000aa", "", "f", call.startEpochNanos() + 1, 1);
    CallJoins joins = new CallJoins();
    joins.see(call);
    Spans spans = new Spans();
    spans.add(call);
    spans.joinCalls(joins);
    OpenSpans open =
        new OpenSpans(List.of(planted.recording("w1@b", true, 50, root))).joined(joins);

    ReportContents contents =
        RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, open).contents();

    assertThat(contents.lostCalls()).isNull();
  }

  @Test
  void callThatWasThinnedOut_saysNothing() {
    planted.standingFor(4).span(1, 0, "f", "driver@a", 0, 9, "kind", 4, "ray.task_id", "x");
    assertThat(contents().lostCalls()).isNull();
  }

  @Test
  void lostCalls_areSaidWithTheHostsThatAreThere() {
    for (int i = 0; i < 55; i++) {
      String name = i < 50 ? "Actor.act ray.remote" : "Actor.save ray.remote";
      planted.span(1 + i, 0, name, "driver@alpha", i, i + 1, "kind", 4, "ray.task_id", "" + i);
    }
    StringWriter text = new StringWriter();
    new SummaryText(contents(), new ReportWriter(text)).print();
    assertThat(text.toString().replace(System.lineSeparator(), "\n"))
        .contains(
            """
              55 calls have no execution in these files: the worker wrote elsewhere, does not trace, or died
                  before the call began
                called: Actor.act (50), Actor.save (5)
                these files are of alpha
            """);
    StringWriter json = new StringWriter();
    ReportJson.write(contents(), null, new TraceUrlTemplate(null), new PrintWriter(json));
    assertThat(json.toString())
        .contains("\"missingExecutions\":{\"count\":55,\"names\":[{\"name\":\"Actor.act\"");
  }
}
