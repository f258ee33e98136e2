package io.rollotel.telemetry;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@link RunTelemetry} is set to do and whether it can.
 *
 * @param name always {@code opentelemetry}
 * @param enabled whether it was switched on
 * @param available whether something takes the spans
 * @param detail where they go, or what is missing; and what was ignored so far
 * @param serviceName the name it goes by
 * @param metricsEnabled whether metrics are recorded
 */
public record RunStatus(
    String name,
    boolean enabled,
    boolean available,
    String detail,
    String serviceName,
    boolean metricsEnabled) {

  /** The same under RLM Code's names. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", name);
    map.put("enabled", enabled);
    map.put("available", available);
    map.put("detail", detail);
    map.put("service_name", serviceName);
    map.put("metrics_enabled", metricsEnabled);
    return map;
  }
}
