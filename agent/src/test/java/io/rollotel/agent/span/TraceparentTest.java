package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.context.Context;
import io.rollotel.telemetry.internal.Propagation;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Traceparent} beside the API's propagator. */
class TraceparentTest {

  private static final String VALID = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  /** Instead of one of the header's characters. */
  private static final String CHARACTERS = "00000123456789abcdefAFg-_ é一";

  @Test
  void anyHeader_isReadAsThePropagatorReadsItOrLeftToIt() {
    Random random = new Random(1);
    int understood = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder header = new StringBuilder(VALID);
      for (int changes = random.nextInt(4); changes > 0; changes--) {
        header.setCharAt(
            random.nextInt(header.length()),
            CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
      }
      Map<String, String> carrier = Map.of("traceparent", header.toString());
      Traceparent read = Traceparent.of(carrier);
      if (read != null) {
        understood++;
        SpanContext sender =
            Span.fromContext(Propagation.extract(carrier, Context.root())).getSpanContext();
        assertThat(sender.isValid()).as(header.toString()).isTrue();
        assertThat(read.unsampled() == null).isEqualTo(sender.isSampled());
        if (read.unsampled() != null) {
          assertThat(Traceparent.traceId(read.unsampled())).isEqualTo(sender.getTraceId());
        } else {
          assertThat(TraceId.fromLongs(read.traceHigh(), read.traceLow()))
              .isEqualTo(sender.getTraceId());
          assertThat(SpanId.fromLong(read.spanId())).isEqualTo(sender.getSpanId());
        }
      }
    }
    assertThat(understood).isGreaterThan(50_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
      })
  void whatIsUnusual_isLeftToThePropagator(String header) {
    assertThat(Traceparent.of(Map.of("traceparent", header))).isNull();
  }

  @Test
  void tracestateAndHostileCarriers_areLeftToThePropagator() {
    assertThat(Traceparent.of(Map.of("traceparent", VALID, "tracestate", "a=b"))).isNull();
    assertThat(Traceparent.of(Map.of("traceparent", 1))).isNull();
    assertThat(Traceparent.of("text")).isNull();
    assertThat(
            Traceparent.of(
                new HashMap<String, String>() {
                  @Override
                  public String get(Object key) {
                    throw new IllegalStateException();
                  }
                }))
        .isNull();
  }
}
