package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.net.URI;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The environment variables with which a process in any language joins a run. They contain the
 * collector's token, so only that process may see them.
 *
 * @param collector null if there is no collector, or this process cannot reach it
 * @param outputDir the directory of the run's files
 */
public record WorkerEnvironment(
    String runId, Rendezvous.@Nullable Collector collector, File outputDir) {

  static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

  private static final String RUN_ID_ATTRIBUTE = "roll.run_id";

  /**
   * The environment of the current run in a directory; null if there is none.
   *
   * @param warn receives a line if the driver's address is not trusted
   */
  public static @Nullable WorkerEnvironment ofRunIn(File outputDir, Consumer<String> warn) {
    DriverFile file = new DriverFile(new File(outputDir, "traces"), warn, line -> {});
    String runId = file.runId();
    return runId == null ? null : new WorkerEnvironment(runId, file.collector(), outputDir);
  }

  /**
   * The variables and their values, in reading order.
   *
   * @param resourceAttributes the current value of {@code OTEL_RESOURCE_ATTRIBUTES}, or null; the
   *     run's id is added to it
   */
  public Map<String, String> variables(@Nullable String resourceAttributes) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("ROLL_OTEL_ENABLED", "1");
    variables.put("ROLL_OTEL_ROLE", "worker");
    variables.put("ROLL_OTEL_RUN_ID", runId);
    variables.put("ROLL_OTEL_OUTPUT_DIR", outputDir.getAbsolutePath());
    if (collector != null) {
      // ROLL's workers in Python speak only gRPC, whatever protocol is set; workers in Java speak
      // it as well.
      URI grpc = collector.grpc();
      variables.put(
          "OTEL_EXPORTER_OTLP_ENDPOINT", (grpc != null ? grpc : collector.endpoint()).toString());
      variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", grpc != null ? "grpc" : "http/protobuf");
      if (!collector.token().isEmpty()) {
        variables.put(HEADERS, authorization(collector.token()));
      }
    }
    variables.put("OTEL_RESOURCE_ATTRIBUTES", resource(resourceAttributes, runId));
    return variables;
  }

  /** Where a collector takes OTLP/HTTP, for exporters of any language. */
  static Map<String, String> endpoint(URI http, String token) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", http.toString());
    variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    if (!token.isEmpty()) {
      variables.put(HEADERS, authorization(token));
    }
    return variables;
  }

  /** In lower case, because gRPC requires it and exporters pass it on unchanged. */
  static String authorization(String token) {
    return "authorization=Bearer%20" + encoded(token);
  }

  /**
   * Resource attributes with this run's id, which replaces any other.
   *
   * @param given the value of {@code OTEL_RESOURCE_ATTRIBUTES}; null for none
   */
  public static String resource(@Nullable String given, String runId) {
    StringBuilder all = new StringBuilder();
    for (String pair : given == null ? new String[0] : given.split(",")) {
      String key = pair.split("=", 2)[0].trim();
      if (!key.isEmpty() && !key.equals(RUN_ID_ATTRIBUTE)) {
        all.append(pair.trim()).append(',');
      }
    }
    return all.append(RUN_ID_ATTRIBUTE).append('=').append(encoded(runId)).toString();
  }

  /** The run in resource attributes; null if they name none. */
  public static @Nullable String runIdIn(@Nullable String resourceAttributes) {
    for (String pair : resourceAttributes == null ? new String[0] : resourceAttributes.split(",")) {
      String[] keyAndValue = pair.split("=", 2);
      if (keyAndValue.length == 2 && keyAndValue[0].trim().equals(RUN_ID_ATTRIBUTE)) {
        String value = keyAndValue[1].trim();
        try {
          return value.isEmpty() ? null : URLDecoder.decode(value.replace("+", "%2B"), UTF_8);
        } catch (IllegalArgumentException notEncoded) {
          return value;
        }
      }
    }
    return null;
  }

  /** Percent-encoded, because both variables are decoded; Python would not decode a plus. */
  private static String encoded(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : text.getBytes(UTF_8)) {
      char c = (char) (b & 0xff);
      boolean isPlain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "-._~".indexOf(c) >= 0;
      encoded.append(isPlain ? String.valueOf(c) : String.format(Locale.ROOT, "%%%02X", (int) c));
    }
    return encoded.toString();
  }

  /** Never the token. */
  @Override
  public String toString() {
    return "run " + runId + " in " + outputDir;
  }
}
