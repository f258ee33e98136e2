package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
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
  void recoveredReceiver_isFoundByItsTraceId() {
    String trace = CallJoins.derivedTraceId("run", "task");
    joins.see(span("a", "a1", "", 4, "task", "run"));
    Span recovered = span(trace, "b1", "", 5, "", "run");
    joins.see(recovered);

    assertThat(joins.join(recovered))
        .returns("a", Span::traceId)
        .returns("a1", Span::parentSpanId)
        .returns("b1", Span::spanId);
  }

  /** Each new cluster numbers its tasks from the start. */
  @Test
  void runsWithTheSameTasks_eachHaveTheirOwn() {
    joins.see(span("a", "a1", "", 4, "task", "one"));
    joins.see(span("b", "b1", "", 4, "task", "two"));

    assertThat(List.of("one", "two", "neither"))
        .map(run -> receiverOf(run).traceId())
        .containsExactly("a", "b", "c");
  }

  @Test
  void workerWithARunOfItsOwn_isJoinedToTheOnlySender() {
    joins.see(span("a", "a1", "", 4, "task", "one"));
    joins.see(span("a", "a1", "", 4, "task", "one")); // delivered twice

    assertThat(receiverOf("its own").traceId()).isEqualTo("a");
  }

  @Test
  void workerWithARunOfItsOwn_isJoinedByTheAgentsTraceIdToo() {
    joins.see(span("a", "a1", "", 4, "task", "one"));
    String own = CallJoins.derivedTraceId("its own", "task");
    Span receiver = span(own, "c1", "", 5, "task", "its own");
    joins.see(receiver);

    assertThat(joins.join(receiver).traceId()).isEqualTo("a");
  }

  @Test
  void runWithTwoClusters_doesNotMixUpTheirTasks() {
    joins.see(span("a", "a1", "", 4, "task", "one"));
    joins.see(span("b", "b1", "", 4, "task", "one"));

    assertThat(receiverOf("one").traceId()).isEqualTo("c");
  }

  private Span receiverOf(String run) {
    Span receiver = span("c", "c1", "", 5, "task", run);
    joins.see(receiver);
    return joins.join(receiver);
  }

  @Tag("campaign")
  @Test
  void derivedTraceIds_areAllDifferentAndHaveEveryDigit() {
    Set<String> ids = new HashSet<>();
    Set<Character> lasts = new HashSet<>();
    for (int run = 0; run < 100; run++) {
      for (int task = 0; task < 1_000; task++) {
        String id = CallJoins.derivedTraceId("run-" + run, "00ffff" + task + "01000000");
        ids.add(id.substring(0, 16));
        ids.add(id.substring(16));
        lasts.add(id.charAt(31));
      }
    }
    assertThat(ids).hasSize(200_000).allMatch(half -> half.matches("[0-9a-f]{16}"));
    assertThat(lasts).hasSize(16);
  }

  /** An actor that sends its next step to itself, for hours. */
  @Test
  void longChainOfCalls_isOneTrace() {
    int calls = 5_000;
    for (int i = 0; i < calls; i++) {
      joins.see(span("t" + i, "s" + i, "r" + i, 4, "task-" + (i + 1)));
      joins.see(span("t" + i, "r" + i, "", 5, "task-" + i));
    }

    assertThat(IntStream.range(0, calls).mapToObj(i -> joins.traceId("t" + i))).containsOnly("t0");
    assertThat(joins.parentSpanId("t4999")).isEqualTo("s4998");
  }

  @Test
  void recoveredReceiverThatHadSent_isOnTheWay() {
    String middle = CallJoins.derivedTraceId("run", "task-1");
    String last = CallJoins.derivedTraceId("run", "task-2");
    joins.see(span("a", "a1", "", 4, "task-1", "run"));
    joins.see(span(middle, "b2", "b1", 4, "task-2", "run"));
    Span recovered = span(last, "c1", "", 5, "", "run");
    joins.see(recovered);

    assertThat(joins.join(recovered)).returns("a", Span::traceId).returns("b2", Span::parentSpanId);
  }

  /** Duplicate ids. */
  @Test
  void callsIntoACircle_stayTracesOfTheirOwn() {
    List<Span> spans =
        List.of(
            span("a", "a1", "", 5, "task-1"),
            span("a", "a2", "a1", 4, "task-2"),
            span("b", "b1", "", 5, "task-2"),
            span("b", "b2", "b1", 4, "task-1"),
            span("b", "b3", "b1", 4, "task-3"),
            span("c", "c1", "", 5, "task-3"));
    spans.forEach(joins::see);

    assertThat(spans.stream().map(joins::join)).isEqualTo(spans);
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
    return span(traceId, spanId, parent, kind, task, "");
  }

  private static Span span(
      String traceId, String spanId, String parent, int kind, String task, String run) {
    Map<String, Object> attributes =
        task.isEmpty() ? Map.of() : Map.of(CallJoins.JOIN, "ray.task_id", "ray.task_id", task);
    Resource process = run.isEmpty() ? NOBODY : new Resource(Map.of("roll.run_id", run));
    return new Span(traceId, spanId, parent, spanId, kind, 1, 2, attributes, 0, process, "ray", "");
  }
}
