package io.rollotel.it;

import java.util.HashMap;
import java.util.Map;

/** A third party's payload, which does not know this library but has a getter for its meta_info. */
public final class Payload {

  /** The parent that {@link #traced()} carries. */
  public static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

  /** The parent that {@link #traced()} carries. */
  public static final String SPAN_ID = "b7ad6b7169203331";

  private final Map<String, Object> metaInfo = new HashMap<>();

  /** A payload with a sender's context. */
  public static Payload traced() {
    return withContext(
        new HashMap<>(Map.of("traceparent", "00-" + TRACE_ID + "-" + SPAN_ID + "-01")));
  }

  /** A payload with this under {@code _otel_ctx}. */
  public static Payload withContext(Object context) {
    Payload payload = new Payload();
    payload.metaInfo.put("_otel_ctx", context);
    return payload;
  }

  /** The map itself. */
  public Map<String, Object> getMetaInfo() {
    return metaInfo;
  }
}
