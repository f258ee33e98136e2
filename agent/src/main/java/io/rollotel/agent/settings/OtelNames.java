package io.rollotel.agent.settings;

import io.rollotel.traces.settings.NearestName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The variables {@code OTEL_*} that the agent or OpenTelemetry's SDK reads, to find misspelled
 * ones. Other variables with this prefix belong to other programs, and are no mistakes. Loaded if
 * there is such a variable.
 */
final class OtelNames {

  private static final String EXPORTER = "OTEL_EXPORTER_OTLP_";
  private static final String[] SIGNALS = {"", "TRACES_", "METRICS_", "LOGS_"};

  private static final String[] OF_EXPORTERS = {
    "ENDPOINT",
    "HEADERS",
    "TIMEOUT",
    "PROTOCOL",
    "COMPRESSION",
    "CERTIFICATE",
    "CLIENT_CERTIFICATE",
    "CLIENT_KEY",
    "INSECURE",
  };

  private static final String[] OTHERS = {
    "OTEL_SDK_DISABLED",
    "OTEL_SERVICE_NAME",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_PROPAGATORS",
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
    "OTEL_LOGS_EXPORTER",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BSP_EXPORT_TIMEOUT",
    "OTEL_BSP_MAX_QUEUE_SIZE",
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
    "OTEL_BLRP_SCHEDULE_DELAY",
    "OTEL_BLRP_EXPORT_TIMEOUT",
    "OTEL_BLRP_MAX_QUEUE_SIZE",
    "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_SPAN_EVENT_COUNT_LIMIT",
    "OTEL_SPAN_LINK_COUNT_LIMIT",
    "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_METRICS_EXEMPLAR_FILTER",
    "OTEL_METRIC_EXPORT_INTERVAL",
    "OTEL_METRIC_EXPORT_TIMEOUT",
    EXPORTER + "METRICS_TEMPORALITY_PREFERENCE",
    EXPORTER + "METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
    EXPORTER + "SPAN_INSECURE",
    EXPORTER + "METRIC_INSECURE",
  };

  /** More letters to change are another name, not a slip. */
  private static final int MOST_CHANGES = 2;

  private final List<String> names = new ArrayList<>(List.of(OTHERS));

  OtelNames() {
    for (String signal : SIGNALS) {
      for (String name : OF_EXPORTERS) {
        names.add(EXPORTER + signal + name);
      }
    }
    names.sort(null); // always the same one of two equally similar names
  }

  /** The known variable that a misspelled one probably means; null if it is known or unlike any. */
  @Nullable String meant(String variable) {
    // A number at the end is a script's own.
    return names.contains(variable) || variable.matches(".*\\d")
        ? null
        : NearestName.within(MOST_CHANGES, variable, names);
  }
}
