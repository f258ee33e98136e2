package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.carrying;
import static io.rollotel.telemetry.Payloads.headersIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Baggage beside the trace in {@code _otel_ctx}. */
class BaggageTest extends SdkFixture {

  @Test
  void baggage_travelsToTheOtherEnd() {
    Map<String, Object> metaInfo = new HashMap<>();
    Baggage sent = Baggage.builder().put("run_id", "r 1,ü").put("global_step", "7").build();
    try (Scope scope = sent.makeCurrent()) {
      TraceContext.inject(metaInfo);
    }
    assertThat(baggage(TraceContext.extract(metaInfo)))
        .isEqualTo(Map.of("run_id", "r 1,ü", "global_step", "7"));
    assertThat(Baggage.current().isEmpty()).isTrue();
    try (Scope scope = TraceContext.attach(metaInfo)) {
      assertThat(Baggage.current().getEntryValue("run_id")).isEqualTo("r 1,ü");
    }
  }

  @Test
  void noBaggage_leavesNoHeader() {
    Map<String, Object> metaInfo = TraceContext.inject(new HashMap<>());
    assertThat(headersIn(metaInfo)).doesNotContainKey("baggage");
  }

  @Test
  void tooMuchBaggage_isNotSentAndTheTraceIs() {
    Map<String, Object> metaInfo = new HashMap<>();
    long ignored = TraceContext.ignored();
    try (Scope span = startSpan("sender").makeCurrent();
        Scope scope =
            Context.current()
                .with(Baggage.builder().put("run_id", "x".repeat(8_192)).build())
                .makeCurrent()) {
      TraceContext.inject(metaInfo);
    }
    assertThat(headersIn(metaInfo)).containsKey("traceparent").doesNotContainKey("baggage");
    assertThat(TraceContext.ignored()).isEqualTo(ignored + 1);
  }

  static Stream<Object> hostile() {
    return Stream.of(
        "x=" + "y".repeat(8_192),
        ",".repeat(8_000),
        "=,;=;%%%",
        "no value at all",
        7,
        List.of(7),
        Map.of("run_id", "1"));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void hostileBaggage_isIgnoredCountedAndTheTraceIsRead(Object baggage) {
    long ignored = TraceContext.ignored();
    Map<String, Object> metaInfo = carrying(TRACEPARENT, "baggage", baggage);
    Context extracted = TraceContext.extract(metaInfo);
    assertThat(baggage(extracted)).isEmpty();
    assertThat(Span.fromContext(extracted).getSpanContext().isValid()).isTrue();
    assertThat(TraceContext.ignored()).isEqualTo(ignored + 1);
  }

  @Test
  void baggageOfMoreThanMostEntries_isReadUpToThese() {
    String more =
        IntStream.range(0, 70).mapToObj(i -> "k" + i + "=v").collect(Collectors.joining(","));
    Map<String, Object> metaInfo = carrying(TRACEPARENT, "baggage", more);
    assertThat(baggage(TraceContext.extract(metaInfo))).hasSize(64).containsKey("k63");
  }

  private static Map<String, String> baggage(Context context) {
    Map<String, String> entries = new HashMap<>();
    Baggage.fromContext(context).forEach((key, entry) -> entries.put(key, entry.getValue()));
    return entries;
  }
}
