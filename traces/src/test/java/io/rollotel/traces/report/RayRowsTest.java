package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A call on Ray has two spans, and one row. */
class RayRowsTest {

  private static final String SENT = "Counter.add ray.remote";
  private static final String EXECUTED = "Counter.add ray.remote_worker";

  private final Planted planted = new Planted();

  private static ReportContents contents(RunAnalysis run, Recording... open) {
    return PlantedContents.of(run, new OpenSpans(List.of(open)));
  }

  private static String text(ReportContents contents) {
    StringWriter text = new StringWriter();
    ReportWriter out = new ReportWriter(text);
    new SummaryText(contents, out).print();
    new ReportText(contents, out).print();
    new OpenSpansText(contents.open()).print(out);
    return text.toString();
  }

  private long sent(long parent, long at) {
    return planted.span(1, parent, SENT, "driver@a", at, at + 3, "kind", 4, "ray.task_id", "t");
  }

  private long executed(long parent, long at, Object... more) {
    Object[] attributes = new Object[more.length + 2];
    attributes[0] = "kind";
    attributes[1] = 5;
    System.arraycopy(more, 0, attributes, 2, more.length);
    return planted.span(1, parent, EXECUTED, "w1@a", at, at + 50, attributes);
  }

  /** Three calls of 50 each, sent in 3. */
  @ParameterizedTest
  @CsvSource({
    "both ends were read,                   both,     Counter.add 3 150,       Counter.add 3: 3 9 + 21 + 150",
    "it says itself how long it waited,     queued,   Counter.add 3 150,       Counter.add 3: 3 9 + 24 + 150",
    "an execution was lost,                 unread,   Counter.add 2 100,       Counter.add 2: 3 9 + 14 + 100",
    "all executions were lost,              sent,     Counter.add 3 9,         ",
    "a sender's span was lost,              unsent,   Counter.add 3 150,       Counter.add 2: 2 6 + 14 + 100",
    "no sender is traced,                   executed, Counter.add 3 150,       ",
    "one was tried twice,                   retried,  Counter.add 4 200,       Counter.add 4: 3 9 + 88 + 200",
    "it began before the sender's end,      early,    Counter.add 3 150,       Counter.add 3: 3 9 + 0 + 150",
    "it calls itself,                       deeper,   Counter.add 2 100,       Counter.add 2: 2 6 + 14 + 100",
    "a span by hand has that name,          by hand,  Counter.add ray.remote 3 150; Counter.add 1 7, Counter.add ray.remote 3: 3 9 + 21 + 150",
  })
  void call_isOneRow(String situation, String way, String names, String queues) {
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 1000);
    for (int i = 0; i < 3; i++) {
      long at = 100 + 100L * i;
      boolean isFirst = i == 0;
      switch (way) {
        case "sent" -> sent(step, at);
        case "executed" -> executed(isFirst ? 99 : step, at + 10);
        case "queued" -> executed(sent(step, at), at + 10, "roll.queue_ns", 8L);
        case "early" -> executed(sent(step, at), at + 2);
        case "deeper" -> {
          if (isFirst) {
            executed(sent(executed(sent(step, at), at + 10), at + 20), at + 30);
          }
        }
        default -> {
          if (way.equals("unsent") && isFirst) {
            executed(99, at + 10);
            continue;
          }
          long call = sent(step, at);
          if (way.equals("unread") && isFirst) {
            continue;
          }
          long execution = executed(call, at + 10);
          if (way.equals("retried") && isFirst) {
            executed(call, at + 70);
          }
          if (way.equals("by hand") && isFirst) {
            planted.span(1, execution, "Counter.add", "w1@a", at + 11, at + 18);
          }
        }
      }
    }
    ReportContents contents = contents(planted.analysis());
    assertThat(contents.names())
        .as(situation)
        .filteredOn(row -> !row.name().text().equals("pipeline_step"))
        .extracting(row -> row.name().text() + ' ' + row.count() + ' ' + row.totalNanos())
        .containsExactly(names.split("; "));
    assertThat(contents.queues())
        .as(situation)
        .extracting(row -> row.name().text() + ' ' + inWords(row.totals()))
        .containsExactly(queues == null ? new String[0] : new String[] {queues});
  }

  private static String inWords(Queues.Totals calls) {
    return String.format(
        "%d: %d %d + %d + %d",
        calls.count(),
        calls.dispatches(),
        calls.dispatchNanos(),
        calls.waitNanos(),
        calls.workNanos());
  }

  /** Three workers, of which the last is late, and a call of which nothing came. */
  private RunAnalysis training() {
    planted.inUnitsOf(1_000_000);
    for (int step = 0; step < 3; step++) {
      long at = step * 1000L;
      long root = planted.span(1 + step, 0, "pipeline_step", "driver@a", at, at + 1000);
      for (int worker = 0; worker < 3; worker++) {
        long sent = at + 10 * worker;
        long call = planted.span(1 + step, root, SENT, "driver@a", sent, sent + 5, "kind", 4);
        planted.span(
            1 + step,
            call,
            EXECUTED,
            "w" + worker + "@a",
            sent + 9,
            at + (worker == 2 ? 980 : 400),
            "kind",
            5);
      }
      planted.span(
          1 + step, root, SENT, "driver@a", at + 40, at + 45, "kind", 4, "ray.task_id", "t" + step);
    }
    return planted.analysis();
  }

  @Test
  void allParts_sayWhatWasCalled() {
    ReportContents contents =
        contents(
            training(),
            planted.recording("w3@a", true, 3000, planted.open(9, 900, 0, EXECUTED, 2000)));
    assertThat(text(contents))
        .doesNotContain("ray.remote")
        .containsPattern("phase Counter.add takes \\d+%")
        .containsPattern("called: Counter.add \\(3\\)")
        .containsPattern("waited in queues +calls +dispatch +wait +work")
        .containsPattern("Counter.add +9 +60.0 ms +36.0 ms +5.17 s")
        .containsPattern("fan-out of[^\n]+\n *Counter.add +3 +1.74 s")
        .containsPattern("open spans[^\n]+\n *Counter.add +1.00 s");
    assertThat(contents.fanOuts().get(0).stragglers())
        .as("who sent a call is no peer of those that executed them")
        .extracting(straggler -> straggler.process().instanceId())
        .containsExactly("w2");
    StringWriter json = new StringWriter();
    ReportJson.write(contents, null, new TraceUrlTemplate(null), new PrintWriter(json));
    assertThat(json.toString())
        .doesNotContain("ray.remote")
        .contains(
            "\"count\":9,\"dispatches\":12,\"dispatchNanos\":60000000,\"waitNanos\":36000000,");
  }

  @ParameterizedTest
  @CsvSource({
    "Counter.add,                   3, 50",
    "Counter.add ray.remote_worker, 3, 50",
    "Counter.add ray.remote,        3, 50",
    "Counter,                       1, 1000",
  })
  void stepOfACallsName_isItsExecution(String name, int steps, long nanos) {
    long root = planted.span(1, 0, "job", "driver@a", 0, 1000);
    for (int i = 0; i < 3; i++) {
      executed(sent(root, 100L * i), 100L * i + 10);
    }
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    ReportOptions options = ReportOptions.latestRun().withSteps(name);
    RunReport report = RunReport.ofNewest(List.of(), options, spans, new OpenSpans(List.of()));
    assertThat(report.analysis().steps().all())
        .hasSize(steps)
        .allMatch(step -> step.wallNanos() == nanos);
  }
}
