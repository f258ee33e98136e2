package io.rollotel.telemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Makes a payload's meta_info with a carrier in it, and takes one apart. */
final class Payloads {

  static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  static final String SPAN_ID = "b7ad6b7169203331";
  static final String TRACEPARENT = "00-" + TRACE_ID + "-" + SPAN_ID + "-01";

  private Payloads() {}

  /** The context inside a span of another process. */
  static Context remoteContext(TraceState state) {
    return Context.root()
        .with(
            Span.wrap(
                SpanContext.createFromRemoteParent(
                    TRACE_ID, SPAN_ID, TraceFlags.getSampled(), state)));
  }

  /** A meta_info whose carrier has this traceparent, and these keys and values in turn. */
  static Map<String, Object> carrying(Object traceparent, Object... more) {
    Map<String, Object> headers = new HashMap<>();
    headers.put("traceparent", traceparent);
    for (int i = 0; i < more.length; i += 2) {
      headers.put((String) more[i], more[i + 1]);
    }
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put("_otel_ctx", headers);
    return metaInfo;
  }

  /** The headers in a meta_info. */
  static Map<String, String> headersIn(Map<String, Object> metaInfo) {
    Map<String, String> headers = new HashMap<>();
    ((Map<?, ?>) metaInfo.get("_otel_ctx"))
        .forEach((key, value) -> headers.put((String) key, (String) value));
    return headers;
  }

  /** Now, computed otherwise than in the code under test. */
  static BigInteger epochNanos() {
    Instant now = Instant.now();
    return BigInteger.valueOf(now.getEpochSecond())
        .multiply(BigInteger.valueOf(1_000_000_000))
        .add(BigInteger.valueOf(now.getNano()));
  }
}
