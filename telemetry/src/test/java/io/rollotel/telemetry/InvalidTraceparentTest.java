package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.SPAN_ID;
import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.TRACE_ID;
import static io.rollotel.telemetry.Payloads.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Carriers whose {@code traceparent} is a text, but no valid one. */
class InvalidTraceparentTest extends SdkFixture {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "00",
        "00-",
        "00-" + TRACE_ID,
        "00-" + TRACE_ID + "-" + SPAN_ID,
        "00-" + TRACE_ID + "-" + SPAN_ID + "-",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-1",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-0g",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-011",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-01-more",
        "00-00000000000000000000000000000000-" + SPAN_ID + "-01",
        "00-" + TRACE_ID + "-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN_ID + "-01",
        "00-" + TRACE_ID + "-B7AD6B7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-" + SPAN_ID + "-01",
        "00-" + TRACE_ID + "0-" + SPAN_ID + "-01",
        "00-0af7651916cd43dd8448eb211c80319g-" + SPAN_ID + "-01",
        "00-0af7651916cd43dd8448eb211c80319\uff11-" + SPAN_ID + "-01",
        "00-0af7651916cd43dd8448eb211c80319\u0000-" + SPAN_ID + "-01",
        "00_" + TRACE_ID + "_" + SPAN_ID + "_01",
        "ff-" + TRACE_ID + "-" + SPAN_ID + "-01",
        "0x-" + TRACE_ID + "-" + SPAN_ID + "-01",
        "-" + TRACE_ID + "-" + SPAN_ID + "-01",
        "\u00a0" + TRACEPARENT,
        TRACEPARENT + "\n",
        "cc-" + TRACE_ID + "-" + SPAN_ID + "-01what",
        "------------------------------------------------------"
      })
  void extractOfInvalidTraceparent_givesRootAndCountsIt(String traceparent) {
    long before = TraceContext.ignored();
    assertThat(TraceContext.extract(carrying(traceparent))).isSameAs(Context.root());
    assertThat(TraceContext.ignored()).isEqualTo(before + 1);
  }

  @Test
  void extractOfRandomStrings_neverThrowsNorInventsAnId() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String alphabet = "0123456789abcdef-ABCDEFg \u0000\u00e9\uff11\ud83d,=;";
    for (int round = 0; round < 20_000; round++) {
      char[] traceparent = TRACEPARENT.toCharArray();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        traceparent[random.nextInt(traceparent.length)] =
            alphabet.charAt(random.nextInt(alphabet.length()));
      }
      String text = new String(traceparent, 0, random.nextInt(traceparent.length + 1));
      Context extracted =
          TraceContext.extract(carrying(text, "tracestate", text.substring(text.length() / 2)));
      SpanContext parent = Span.fromContext(extracted).getSpanContext();
      if (parent.isValid()) {
        assertThat(text).as("seed %s", seed).contains(parent.getTraceId(), parent.getSpanId());
      } else {
        assertThat(extracted).as("seed %s: %s", seed, text).isSameAs(Context.root());
      }
    }
  }
}
