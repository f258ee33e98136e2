package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.telemetry.TraceContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is read out of a carrier, and what Python's propagators read out of it ({@code
 * src/test/python/carrier_vectors.py}).
 */
class CarrierVectorsTest {

  static final Path VECTORS =
      ProgramRun.ROOT.resolve("integration-tests/src/test/resources/carrier-vectors.json");

  static Stream<Named<Map<String, Object>>> rows() throws Exception {
    return vectors().map(row -> Named.of(row.get("name").toString(), row));
  }

  private static Stream<Map<String, Object>> vectors() throws Exception {
    Map<String, Object> file = Json.object(Files.readString(VECTORS));
    return Json.maps(file.get("rows")).stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void carrier_givesWhatItGivesInPython(Map<String, Object> row) {
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put(TraceContext.KEY, row.get("carrier"));
    Context context = TraceContext.extract(metaInfo);

    SpanContext span = Span.fromContext(context).getSpanContext();
    Map<String, Object> here = new HashMap<>();
    here.put(
        "span",
        span.isValid()
            ? span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex()
            : null);
    here.put(
        "tracestate",
        span.getTraceState().asMap().entrySet().stream()
            .map(member -> member.getKey() + "=" + member.getValue())
            .collect(Collectors.joining(",")));
    Map<String, String> entries = new HashMap<>();
    Baggage.fromContext(context).forEach((key, entry) -> entries.put(key, entry.getValue()));
    here.put("baggage", entries);
    assertThat(here).isEqualTo(row.getOrDefault("here", row.get("gives")));
  }

  @Test
  void differencesFromPython_areMeantAndStillThere() throws Exception {
    List<Map<String, Object>> different = vectors().filter(row -> row.containsKey("here")).toList();
    assertThat(different)
        .allSatisfy(row -> assertThat(row.get("here")).isNotEqualTo(row.get("gives")))
        .allSatisfy(row -> assertThat(row.get("why").toString()).isNotBlank());
    assertThat(vectors().count()).isGreaterThan(100);
  }
}
