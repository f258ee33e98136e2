package io.rollotel.telemetry;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@link TraceCorrelation} for records of Jackson 2, which the application brings. */
public final class Jackson2Correlation {

  private Jackson2Correlation() {}

  /** {@link TraceCorrelation#stamp(java.util.Map)} for an object node; returns the node. */
  public static ObjectNode stamp(ObjectNode record) {
    if (record != null && !record.hasNonNull(TraceCorrelation.TRACE_ID)) { // no method throws
      TraceCorrelation.fields(
          (key, text) -> {
            if (!record.hasNonNull(key)) {
              record.put(key, text);
            }
          });
    }
    return record;
  }
}
