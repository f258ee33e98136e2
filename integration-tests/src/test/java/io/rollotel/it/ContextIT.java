package io.rollotel.it;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The table in docs/concepts.md, and suppression, under the shipped jar: one run for each setting.
 */
class ContextIT {

  private static @TempDir Path directory;

  private static final Map<String, Result> RESULTS = new HashMap<>();

  /** By setting; a span by the case that it names, the outer one by its name. */
  private static final Map<String, Map<String, Span>> SPANS = new HashMap<>();

  @BeforeAll
  static void run() throws Exception {
    for (String noContext : new String[] {"local", "suppress", "root"}) {
      Result result =
          ProgramRun.of(Files.createDirectory(directory.resolve(noContext)), ContextWorker.class)
              .openTelemetry(System.getProperty("opentelemetry.newest"), false)
              .telemetry()
              .environment("ROLL_OTEL_NO_CONTEXT", noContext)
              .run()
              .isCleanBut("_otel_ctx holds no valid trace context");
      RESULTS.put(noContext, result);
      SPANS.put(
          noContext,
          result.spans().stream()
              .collect(
                  toMap(
                      span -> span.attributes().getOrDefault("case", span.name()).toString(),
                      span -> span)));
    }
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # call                    | local   | suppress | root
          no parameter, none        | root    | -        | root
          null, none                | -       | -        | root
          no key, none              | -       | -        | root
          empty, none               | root    | root     | root
          invalid, none             | root    | root     | root
          valid, none               | carrier | carrier  | carrier
          no parameter, span        | outer   | -        | outer
          null, span                | outer   | -        | outer
          no key, span              | outer   | -        | outer
          empty, span               | outer   | root     | outer
          invalid, span             | outer   | root     | outer
          valid, span               | carrier | carrier  | carrier
          valid, in untraced        | -       | carrier  | -
          no parameter, in untraced | -       | -        | -
          received, new             | -       | -        | root
          received, stale           | -       | -        | root
          received, outside         | root    | root     | root
          """,
      delimiter = '|')
  void call_becomesWhatTheTableSays(String call, String local, String suppress, String root) {
    assertThat(parent("local", call)).as("local").isEqualTo(local);
    assertThat(parent("suppress", call)).as("suppress").isEqualTo(suppress);
    assertThat(parent("root", call)).as("root").isEqualTo(root);
  }

  @ParameterizedTest
  @CsvSource({
    "kept tracer, outer, -",
    "new tracer, outer, -",
    "telemetry, outer, -",
    "explicit parent, outer, -",
    "no parent, root, -",
    "parent of a payload, carrier, -",
    "other thread, outer, -",
    "attached, carrier, carrier",
  })
  void spanByHand_isRecordedUnlessSuppressed(String how, String inSpan, String inUntraced) {
    SPANS
        .keySet()
        .forEach(
            noContext -> {
              assertThat(parent(noContext, how + ", in span")).isEqualTo(inSpan);
              assertThat(parent(noContext, how + ", in untraced")).isEqualTo(inUntraced);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "suppress", "root"})
  void dispatchInsideSuppression_removesAStaleContextAndWritesNone(String noContext) {
    assertThat(RESULTS.get(noContext).lines())
        .containsExactly("new []", "stale []", "outside [_otel_ctx]", "context as before true");
  }

  @Test
  void everySpan_isInTheTables() {
    // The outer one; of calls 3 + 3 + 1 + 1; by hand 8 + 1.
    assertThat(SPANS.get("suppress")).hasSize(18);
  }

  /** Whose child the span of this case is; "-" where there is none. */
  private static String parent(String noContext, String name) {
    Span span = SPANS.get(noContext).get(name);
    if (span == null) {
      return "-";
    }
    return span.parentSpanId().isEmpty()
        ? "root"
        : span.parentSpanId().equals(SPANS.get(noContext).get("outer").spanId())
            ? "outer"
            : span.parentSpanId().equals(Payload.SPAN_ID) ? "carrier" : span.parentSpanId();
  }
}
