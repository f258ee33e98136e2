package io.rollotel.telemetry;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of {@link RunTelemetry}, and whether it can record.
 *
 * @param name always {@code opentelemetry}
 * @param enabled whether it is enabled
 * @param available whether an SDK takes its spans
 * @param detail where spans go, or what is missing, and how many wrong calls were ignored
 * @param serviceName the name that {@link RunTelemetry} was given or found in the environment
 * @param metricsEnabled whether metrics are recorded
 */
public record RunStatus(
    String name,
    boolean enabled,
    boolean available,
    String detail,
    String serviceName,
    boolean metricsEnabled) {

  /** The same values under the names that RLM Code gives them. */
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
