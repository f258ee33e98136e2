package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceCorrelationTest extends SdkFixture {

  private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN_ID = "b7ad6b7169203331";

  private static Span span(String traceId, String spanId, String flags) {
    return Span.wrap(
        SpanContext.create(traceId, spanId, TraceFlags.fromHex(flags, 0), TraceState.getDefault()));
  }

  @ParameterizedTest
  @CsvSource({"01", "00"})
  void insideASpan_recordsCarryItSampledOrNot(String flags) {
    String traceparent = "00-" + TRACE_ID + "-" + SPAN_ID + "-" + flags;
    Map<String, String> expected =
        Map.of("trace_id", TRACE_ID, "span_id", SPAN_ID, "traceparent", traceparent);
    try (Scope scope = span(TRACE_ID, SPAN_ID, flags).makeCurrent()) {
      assertThat(TraceCorrelation.current())
          .contains(new TraceCorrelation.Ids(TRACE_ID, SPAN_ID, traceparent));
      assertThat(TraceCorrelation.stamp(new HashMap<String, Object>())).isEqualTo(expected);
      assertThat(
              Jackson2Correlation.stamp(
                      new com.fasterxml.jackson.databind.ObjectMapper().createObjectNode())
                  .toString())
          .isEqualTo(json(traceparent));
      assertThat(
              Jackson3Correlation.stamp(
                      new tools.jackson.databind.ObjectMapper().createObjectNode())
                  .toString())
          .isEqualTo(json(traceparent));
      assertThat(TraceCorrelation.link(" http://tempo/{trace_id}/{span_id}?p={traceparent} "))
          .contains("http://tempo/" + TRACE_ID + "/" + SPAN_ID + "?p=" + traceparent);
      assertThat(TraceCorrelation.link()).as("no template").isEmpty();
      assertThat(TraceCorrelation.link(null)).isEmpty();
    }
  }

  private static String json(String traceparent) {
    return "{\"trace_id\":\""
        + TRACE_ID
        + "\",\"span_id\":\""
        + SPAN_ID
        + "\",\"traceparent\":\""
        + traceparent
        + "\"}";
  }

  @ParameterizedTest
  @CsvSource({
    "00000000000000000000000000000000, b7ad6b7169203331",
    "0af7651916cd43dd8448eb211c80319c, 0000000000000000"
  })
  void spanOfZeros_isNone(String traceId, String spanId) {
    try (Scope scope = span(traceId, spanId, "01").makeCurrent()) {
      assertThat(TraceCorrelation.current()).isEmpty();
      assertThat(TraceCorrelation.stamp(new HashMap<String, Object>())).isEmpty();
      assertThat(TraceCorrelation.link("http://tempo/{trace_id}")).isEmpty();
    }
  }

  /** As for events of a log. */
  @ParameterizedTest
  @CsvSource({
    "trace_id, other, '{trace_id=other}'",
    "span_id, other, '{span_id=other, trace_id=%s, traceparent=%s}'",
    "traceparent, other, '{span_id=%3$s, trace_id=%1$s, traceparent=other}'",
    "episode, 1, '{episode=1, span_id=%3$s, trace_id=%1$s, traceparent=%2$s}'"
  })
  void fieldsThatARecordHas_areKept(String key, String text, String expected) {
    String traceparent = "00-" + TRACE_ID + "-" + SPAN_ID + "-01";
    try (Scope scope = span(TRACE_ID, SPAN_ID, "01").makeCurrent()) {
      Map<String, Object> record = new TreeMap<>(Map.of(key, text));
      assertThat(TraceCorrelation.stamp(record).toString())
          .isEqualTo(expected.formatted(TRACE_ID, traceparent, SPAN_ID));
      var node2 = new com.fasterxml.jackson.databind.ObjectMapper().createObjectNode();
      Jackson2Correlation.stamp(node2.put(key, text));
      assertThat(node2.size()).isEqualTo(record.size());
      assertThat(node2.get(key).asText()).isEqualTo(text);
      var node3 = new tools.jackson.databind.ObjectMapper().createObjectNode();
      Jackson3Correlation.stamp(node3.put(key, text));
      assertThat(node3.size()).isEqualTo(record.size());
      assertThat(node3.get(key).asString()).isEqualTo(text);
    }
  }

  /** Columns of a table may be there before their values. */
  @Test
  void fieldsWithoutAValue_areFilled() {
    Map<String, Object> record = new HashMap<>();
    record.put("trace_id", null);
    try (Scope scope = span(TRACE_ID, SPAN_ID, "01").makeCurrent()) {
      assertThat(TraceCorrelation.stamp(record)).containsEntry("trace_id", TRACE_ID).hasSize(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"trace_id", "span_id", "traceparent"})
  void mapThatRefusesOneField_keepsNone(String refused) {
    Map<String, Object> record =
        new HashMap<>() {
          @Override
          public Object put(String key, Object value) {
            if (key.equals(refused)) {
              throw new IllegalArgumentException(key);
            }
            return super.put(key, value);
          }
        };
    record.put("episode", 1);
    try (Stderr stderr = new Stderr();
        Scope scope = span(TRACE_ID, SPAN_ID, "01").makeCurrent()) {
      assertThat(TraceCorrelation.stamp(record)).containsOnlyKeys("episode");
      assertThat(stderr.lines()).hasSizeLessThan(2);
    }
  }

  @Test
  void mapThatForbidsWriting_staysAsItIsAndNothingIsThrown() {
    Span span = startSpan("span");
    try (Stderr stderr = new Stderr();
        Scope scope = span.makeCurrent()) {
      assertThat(TraceCorrelation.stamp(Map.of("episode", "1"))).hasSize(1);
      assertThat(TraceCorrelation.stamp(Map.of("episode", "2"))).hasSize(1);
      assertThat(stderr.lines()).hasSizeLessThan(2);
    } finally {
      span.end();
    }
  }

  @Test
  void workerSpanWithoutAnAgent_takesNothing() {
    Span span = startSpan("by hand");
    try (Scope scope = span.makeCurrent()) {
      WorkerSpan worker = WorkerSpan.current();
      assertThat(worker.isRecording()).isFalse();
      worker.set("reward", 1.0).set("tries", 3).set("done", true).set(null, "x").set("text", null);
    }
    span.end();
    assertThat(exporter.getFinishedSpanItems().get(0).getAttributes().isEmpty()).isTrue();
  }

  @Test
  void formatter_namesTheSpanInsideAndNothingOutside() {
    TraceLogFormatter formatter = new TraceLogFormatter();
    LogRecord record = new LogRecord(Level.INFO, "{0} episodes");
    record.setParameters(new Object[] {3});
    record.setThrown(new IllegalStateException("with a trace"));
    assertThat(formatter.format(record))
        .contains("3 episodes" + System.lineSeparator() + "java.lang.IllegalStateException: with")
        .doesNotContain("trace_id");
    try (Scope scope = span(TRACE_ID, SPAN_ID, "01").makeCurrent()) {
      assertThat(formatter.format(record))
          .contains("3 episodes trace_id=" + TRACE_ID + " span_id=" + SPAN_ID + " traceparent=00-");
    }
  }

  @Test
  void formatThatIsNone_isSaidAndTheDefaultTaken() {
    try (Stderr stderr = new Stderr()) {
      assertThat(new TraceLogFormatter("%q").format(new LogRecord(Level.INFO, "text")))
          .contains("text");
      assertThat(stderr.lines()).hasSize(1);
    }
  }
}
