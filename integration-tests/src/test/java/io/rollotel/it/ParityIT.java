package io.rollotel.it;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * ROLL's semantics, run by OpenTelemetry for Python ({@code src/test/python/parity_vectors.py}),
 * beside the shipped jar with {@code ROLL_OTEL_NO_CONTEXT=suppress}. Each row is a test; one run
 * makes the calls of all rows.
 */
class ParityIT {

  static final Path VECTORS =
      ProgramRun.ROOT.resolve("integration-tests/src/test/resources/parity-vectors.json");

  private static @TempDir Path directory;

  /** What the program printed of each call, in its order. */
  private static final Map<String, Map<String, Object>> LINES = new LinkedHashMap<>();

  /** The spans, by the place of the call that they name. */
  private static Map<String, Span> spans;

  @BeforeAll
  static void run() throws Exception {
    Result result =
        ProgramRun.of(directory, ParityWorker.class, VECTORS.toString())
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .telemetry()
            .json()
            .environment("ROLL_OTEL_NO_CONTEXT", "suppress")
            .run()
            .isCleanBut("_otel_ctx holds no valid trace context");
    for (String line : result.lines()) {
      Map<String, Object> printed = Json.object(line);
      LINES.put(printed.get("at").toString(), printed);
    }
    spans =
        result.spans().stream()
            .collect(toMap(span -> span.attributes().get("at").toString(), span -> span));
  }

  static Stream<Named<Map<String, Object>>> rows() throws Exception {
    return rows("rows");
  }

  static Stream<Named<Map<String, Object>>> differences() throws Exception {
    return rows("differences");
  }

  private static Stream<Named<Map<String, Object>>> rows(String key) throws Exception {
    return Json.maps(Json.object(Files.readString(VECTORS)).get(key)).stream()
        .map(row -> Named.of(row.get("name").toString(), row));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void row_becomesWhatItDoesInRoll(Map<String, Object> row) {
    assertThat(here(row)).isEqualTo(expected(row, Map.of()));
  }

  @ParameterizedTest
  @MethodSource("differences")
  void difference_isTheOneThatIsMeant(Map<String, Object> row) {
    Map<String, Object> meant = Json.map(row.get("here"));
    assertThat(here(row)).isEqualTo(expected(row, meant));
    assertThat(expected(row, meant)).as("still one").isNotEqualTo(expected(row, Map.of()));
  }

  @Test
  void vectors_areMany() throws Exception {
    assertThat(rows()).hasSizeGreaterThanOrEqualTo(40);
  }

  /** What the row's calls became in Python, by their places. */
  private static Map<String, Object> expected(Map<String, Object> row, Map<String, Object> meant) {
    Map<String, Object> all = new LinkedHashMap<>();
    expected("", Json.maps(row.get("calls")), meant, all);
    return all;
  }

  private static void expected(
      String prefix,
      List<Map<String, Object>> calls,
      Map<String, Object> meant,
      Map<String, Object> all) {
    for (int i = 0; i < calls.size(); i++) {
      Map<String, Object> call = calls.get(i);
      Map<String, Object> becomes = new HashMap<>(Json.map(call.get("becomes")));
      if (becomes.get("suppressed").equals(true)) {
        // A difference in every row, which DIFFERENCES in parity_vectors.py explains.
        assertThat(becomes.put("injected", null)).isEqualTo(Map.of());
      }
      all.put(prefix + i, meant.getOrDefault(prefix + i, becomes));
      expected(prefix + i + ".", Json.maps(call.get("inside")), meant, all);
    }
  }

  /** What the row's calls became here, in the same words. */
  private static Map<String, Object> here(Map<String, Object> row) {
    String name = row.get("name") + "/";
    Symbols symbols = new Symbols(Json.text(row));
    Map<String, Object> all = new LinkedHashMap<>();
    LINES.forEach(
        (at, line) -> {
          if (at.startsWith(name)) {
            String place = at.substring(name.length());
            symbols.learn(place, line);
            Map<String, Object> becomes = new HashMap<>();
            becomes.put("suppressed", line.get("suppressed"));
            becomes.put("span", symbols.made(spans.get(at)));
            becomes.put("probe", symbols.made(spans.get(at + "/probe")));
            becomes.put("injected", symbols.injected(line));
            all.put(place, becomes);
          }
        });
    return all;
  }

  /** Names for ids that differ from run to run. */
  private static final class Symbols {

    private static final Set<String> CALLS_WITH_SPAN = Set.of("traced", "span");

    private final String literals;
    private final Map<String, String> spanNames = new HashMap<>();
    private final Map<String, String> traceNames = new HashMap<>();

    /** Ids that the row itself has stay as they are. */
    Symbols(String row) {
      literals = row;
    }

    void learn(String place, Map<String, Object> line) {
      if (line.get("valid").equals(true) && CALLS_WITH_SPAN.contains(line.get("call").toString())) {
        spanNames.putIfAbsent(line.get("span").toString(), "@" + place);
        String trace = line.get("trace").toString();
        if (!literals.contains(trace)) {
          traceNames.putIfAbsent(trace, "@" + place);
        }
      }
    }

    Map<String, Object> made(Span span) {
      return span == null
          ? null
          : Map.of(
              "trace",
              trace(span.traceId()),
              "parent",
              span.parentSpanId().isEmpty() ? "none" : span(span.parentSpanId()));
    }

    Map<String, Object> injected(Map<String, Object> line) {
      if (!line.containsKey("injected")) {
        return null;
      }
      Map<String, Object> injected = new HashMap<>(Json.map(line.get("injected")));
      assertThat(injected.remove("roll.sent_at").toString()).matches("[1-9][0-9]{18}");
      Object run = injected.remove("roll.run_id"); // ours alone, as the time of sending
      assertThat(run == null ? "" : run.toString()).matches("[0-9a-f]{16}|");
      Object traceparent = injected.remove("traceparent");
      if (traceparent != null) {
        String[] parts = traceparent.toString().split("-");
        injected.put("trace", trace(parts[1]));
        injected.put("span", span(parts[2]));
        injected.put("sampled", (Integer.parseInt(parts[3], 16) & 1) == 1);
      }
      return injected;
    }

    private String trace(String id) {
      return traceNames.getOrDefault(id, literals.contains(id) ? id : "new");
    }

    private String span(String id) {
      return spanNames.getOrDefault(id, id);
    }
  }
}
