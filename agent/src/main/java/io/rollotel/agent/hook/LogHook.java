package io.rollotel.agent.hook;

import java.util.HashMap;
import java.util.Map;

/** What is woven into Logback calls this once with the fields of an event. Nothing here throws. */
public final class LogHook {

  private LogHook() {}

  /**
   * The fields with the current span's ids; the same map if no span is current, or another tool has
   * added ids.
   */
  public static Map<String, String> withTrace(Map<String, String> fields) {
    try {
      String[] ids = TraceHook.currentTrace();
      if (ids == null || fields.containsKey("trace_id")) {
        return fields;
      }
      Map<String, String> all = new HashMap<>(fields);
      all.put("trace_id", ids[0]);
      all.put("span_id", ids[1]);
      all.put("traceparent", ids[2]);
      return all;
    } catch (Throwable t) {
      TraceHook.failed(t);
      return fields;
    }
  }
}
