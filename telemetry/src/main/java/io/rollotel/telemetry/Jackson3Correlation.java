package io.rollotel.telemetry;

import tools.jackson.databind.node.ObjectNode;

/** {@link TraceCorrelation} for records of Jackson 3, which the application brings. */
public final class Jackson3Correlation {

  private Jackson3Correlation() {}

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
