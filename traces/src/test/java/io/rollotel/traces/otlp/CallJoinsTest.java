package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallJoinsTest {

  private static final Resource NOBODY = new Resource(Map.of());

  private final CallJoins joins = new CallJoins();

  @Test
  void receiversTraces_becomePartsOfTheirSenders() {
    // Driver -> worker -> worker, in the order in which spans end: the innermost first.
    List<Span> spans =
        List.of(
            span("c", "c2", "c1", 1, ""),
            span("c", "c1", "", 5, "task-2"),
            span("b", "b2", "b1", 4, "task-2"),
            span("b", "b1", "", 5, "task-1"),
            span("a", "a2", "a1", 4, "task-1"),
            span("a", "a1", "", 1, ""));
    spans.forEach(joins::see);

    assertThat(spans.stream().map(joins::join))
        .extracting(span -> span.traceId() + " " + span.parentSpanId() + "/" + span.spanId())
        .containsExactly("a c1/c2", "a b2/c1", "a b1/b2", "a a2/b1", "a a1/a2", "a /a1");
  }

  @Test
  void bothAttemptsOfACall_areTheSenders() {
    List<Span> spans =
        List.of(
            span("b", "b1", "", 5, "task"),
            span("c", "c1", "", 5, "task"),
            span("a", "a1", "", 4, "task"));
    spans.forEach(joins::see);

    assertThat(spans.stream().map(joins::join))
        .extracting(span -> span.traceId() + " " + span.parentSpanId() + "/" + span.spanId())
        .containsExactly("a a1/b1", "a a1/c1", "a /a1");
  }

  @ParameterizedTest
  @CsvSource({"1, ''", "4, b"})
  void recoveredReceiver_saysItsTraceWhereOneStandsForOthers(double weight, String thinnedWith) {
    Span sender = span("a", "a1", "", 4, "task");
    joins.see(
        new Span(
            sender.traceId(),
            sender.spanId(),
            "",
            "",
            4,
            1,
            2,
            sender.attributes(),
            0,
            NOBODY,
            "",
            "",
            weight,
            ""));
    Span receiver = span("b", "b1", "", 5, "task");
    joins.see(receiver);

    assertThat(joins.join(receiver).thinnedTraceId()).isEqualTo(thinnedWith);
  }

  @Test
  void senderThatIsNotThere_leavesTheReceiversTraceAsItIs() {
    Span receiver = span("b", "b1", "", 5, "task");
    joins.see(receiver);

    assertThat(joins.join(receiver)).isSameAs(receiver);
  }

  @Test
  void receiverThatHasAParent_staysThere() {
    Span receiver = span("b", "b1", "b0", 5, "task");
    joins.see(receiver);
    joins.see(span("a", "a1", "", 4, "task"));

    assertThat(joins.join(receiver)).isSameAs(receiver);
  }

  @Test
  void circle_isNoTrace() {
    Span sender = span("a", "a2", "a1", 4, "task");
    Span receiver = span("a", "a1", "", 5, "task");
    joins.see(sender);
    joins.see(receiver);

    assertThat(joins.join(sender)).isSameAs(sender);
  }

  private static Span span(String traceId, String spanId, String parent, int kind, String task) {
    Map<String, Object> attributes =
        task.isEmpty() ? Map.of() : Map.of(CallJoins.JOIN, "ray.task_id", "ray.task_id", task);
    return new Span(traceId, spanId, parent, spanId, kind, 1, 2, attributes, 0, NOBODY, "ray", "");
  }
}
