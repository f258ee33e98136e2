package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A payload that a worker method passes on to another: whose child that call is, and whether it
 * waited.
 */
class NestedCallsIT {

  private static final String BELOW_OUTER =
      "worker.inner < worker.outer; worker.outer < sender, queued";
  private static final String BY_HAND =
      "by hand < worker.outer; worker.inner < by hand; worker.outer < sender, queued";
  private static final String PLAIN =
      "worker.inner < worker.plain; worker.outer < sender, queued; worker.plain < ";

  private static final List<String> NESTED =
      List.of(
          BELOW_OUTER,
          BELOW_OUTER, // a copy of the payload
          BY_HAND,
          BELOW_OUTER, // on another thread
          PLAIN + "worker.outer",
          "by hand < worker.outer; " + PLAIN + "by hand",
          "worker.inner < worker.outer; worker.innermost < worker.inner; worker.outer < sender, queued",
          // One call after the other: the sender has sent it twice.
          "worker.inner < sender, queued; worker.outer < sender, queued",
          // A root by hand begins another trace.
          "worker.inner < sender, queued; worker.outer < sender, queued",
          // The nearer of two senders counts.
          "worker.innermost < sender, queued; worker.outer < sender, queued",
          "worker.inner < sender, queued",
          // Sent again by the worker itself.
          "worker.inner < worker.outer, queued; worker.outer < sender, queued");

  private @TempDir Path directory;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "the agent's SDK      | -                    | -      | false",
        "exec always          | ROLL_OTEL_EXEC       | always | false",
        "tracestate           | header               | a=1    | false",
        "a root sampler       | OTEL_TRACES_SAMPLER  | always_on | false",
        "an SDK on the class path | -                 | -      | true",
      })
  void payloadThatIsPassedOn_isBelowTheCallThatPassedIt(
      String kind, String name, String value, boolean ownSdk) throws Exception {
    boolean isHeader = "header".equals(name);
    ProgramRun program =
        ProgramRun.of(
                directory,
                NestedCallsWorker.class,
                isHeader ? new String[] {"tracestate", value} : new String[0])
            .telemetry()
            .openTelemetry(System.getProperty("opentelemetry.newest"), ownSdk);
    if (name != null && !isHeader) {
      program.environment(name, value);
    }
    Result result = program.run().isClean();

    Map<Integer, String> trees = trees(result);
    for (int i = 0; i < NESTED.size(); i++) {
      assertThat(trees.get(i + 1)).as("situation %s: %s", i + 1, trees).isEqualTo(NESTED.get(i));
    }
    // Attributes set inside a span made by hand belong to the worker span.
    assertThat(result.spans())
        .filteredOn(span -> span.traceId().endsWith("03"))
        .filteredOn(span -> span.attributes().containsKey("inside"))
        .extracting(Span::name)
        .containsExactlyInAnyOrder("worker.outer", "worker.inner");
  }

  @Test
  void suppressMode_keepsTheRuleOfRoll() throws Exception {
    Result result =
        ProgramRun.of(directory, NestedCallsWorker.class)
            .telemetry()
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .environment("ROLL_OTEL_NO_CONTEXT", "suppress")
            .run()
            .isClean();

    Map<Integer, String> trees = trees(result);
    for (int i = 1; i <= 4; i++) {
      assertThat(trees.get(i))
          .as("situation %s: %s", i, trees)
          .contains("worker.inner < sender, queued", "worker.outer < sender, queued");
    }
  }

  /** By situation: each span, its parent, and whether it has its time in the queue. */
  private static Map<Integer, String> trees(Result result) throws Exception {
    Map<String, Span> byId = new HashMap<>();
    result.spans().forEach(span -> byId.put(span.spanId(), span));
    Map<Integer, Set<String>> lines = new TreeMap<>();
    for (Span span : byId.values()) {
      Span parent = byId.get(span.parentSpanId());
      if (parent != null && parent.name().equals("exec")) {
        parent = byId.get(parent.parentSpanId());
      }
      if (span.traceId().startsWith("0".repeat(24)) && !span.name().equals("exec")) {
        lines
            .computeIfAbsent(
                Integer.parseInt(span.traceId().substring(24), 16), i -> new TreeSet<>())
            .add(
                span.name()
                    + " < "
                    + (parent == null ? "sender" : parent.name())
                    + (span.attributes().containsKey("roll.queue_ns") ? ", queued" : ""));
      }
    }
    Map<Integer, String> trees = new TreeMap<>();
    lines.forEach((situation, all) -> trees.put(situation, String.join("; ", all)));
    return trees;
  }
}
