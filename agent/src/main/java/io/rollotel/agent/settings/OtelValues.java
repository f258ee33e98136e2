package io.rollotel.agent.settings;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Those of OpenTelemetry's settings that the agent interprets itself. Loaded if one of them is set.
 */
final class OtelValues {

  private static final String HTTP_PROTOBUF = "http/protobuf";
  private static final List<String> OTLP_PROTOCOLS = List.of("grpc", HTTP_PROTOBUF);

  private OtelValues() {}

  /**
   * See {@link Settings#otlpProtocols}.
   *
   * @param lines take a line if the value in force is not understood
   */
  static Map<String, String> otlpProtocols(SettingSources sources, List<String> lines) {
    Map<String, String> all = new LinkedHashMap<>();
    for (String property : List.of(Settings.PROTOCOL_OF_TRACES, Settings.PROTOCOL_OF_ALL)) {
      String value = sources.otel(property);
      if (value != null) {
        boolean isStrongest = all.isEmpty();
        all.put(property, known(value));
        if (isStrongest && !known(value).equalsIgnoreCase(value)) {
          lines.add(
              SettingSources.otelVariable(property)
                  + "="
                  + value
                  + " is not understood; it takes grpc or http/protobuf, which is used");
        }
      }
    }
    return Collections.unmodifiableMap(all);
  }

  private static String known(String protocol) {
    for (String known : OTLP_PROTOCOLS) {
      if (known.equalsIgnoreCase(protocol)) {
        return known;
      }
    }
    return HTTP_PROTOBUF;
  }

  /**
   * Whether otlp is among the names of exporters for metrics.
   *
   * @param lines take a line if other names than none are among them
   */
  static boolean isOtlp(String names, List<String> lines) {
    boolean isOtlp = false;
    List<String> unknown = new ArrayList<>();
    for (String part : names.split(",", -1)) {
      String name = part.trim();
      if (name.equals("otlp")) {
        isOtlp = true;
      } else if (!name.isEmpty() && !name.equals("none")) {
        unknown.add(name);
      }
    }
    if (!unknown.isEmpty()) {
      lines.add("OTEL_METRICS_EXPORTER: the agent supports only otlp and none, not " + unknown);
    }
    return isOtlp;
  }
}
