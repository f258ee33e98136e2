package io.rollotel.agent.sdk;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.rollotel.agent.export.BatchingSpanProcessor;
import io.rollotel.agent.settings.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Those of the user's {@code OTEL_*} settings that the SDK refuses. The SDK throws at the first of
 * them and names no variable, so each is tried alone, and the rest stays in force.
 *
 * @param replacements the values to use instead, by property names
 * @param complaints a line for each refused setting
 */
record RefusedSettings(Map<String, String> replacements, List<String> complaints) {

  private static final String SAMPLER = "otel.traces.sampler";
  private static final String SAMPLER_ARGUMENT = SAMPLER + ".arg";

  /** For these, the SDK does not take an empty value as its default. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          SAMPLER,
          "parentbased_always_on",
          "otel.propagators",
          "tracecontext,baggage",
          "otel.metrics.exemplar.filter",
          "trace_based");

  /** The prefixes of settings that are not read while the SDK is built, or take any text. */
  private static final List<String> READ_ELSEWHERE =
      List.of(
          "otel.exporter.",
          "otel.traces.exporter",
          "otel.metrics.exporter",
          "otel.logs.exporter",
          "otel.service.name",
          "otel.blrp.",
          "otel.metric.export.",
          "otel.instrumentation.",
          "otel.javaagent.");

  static final RefusedSettings NONE = new RefusedSettings(Map.of(), List.of());

  /**
   * For settings that are blank where the SDK looks first: OpenTelemetry treats those as unset, so
   * the next place counts. If there is none, the defaults of those for which the SDK has none.
   */
  static Map<String, String> instead(Settings settings, ConfigProperties given) {
    Map<String, String> instead = new HashMap<>();
    for (String name : settings.otelNames()) {
      String value = given.getString(name);
      if (value != null && value.isBlank()) {
        String next = settings.otel(name);
        String used = next == null ? DEFAULTS.get(name) : next;
        if (used != null) {
          instead.put(name, used);
        }
      }
    }
    return instead;
  }

  /** Builds an SDK for each setting, so call it only if the SDK cannot be built with all. */
  static RefusedSettings of(Settings settings) {
    Map<String, String> all = new HashMap<>();
    for (String name : new TreeSet<>(settings.otelNames())) {
      if (mayBeRefused(name)) {
        all.put(name, DEFAULTS.getOrDefault(name, ""));
      }
    }
    if (all.containsKey(SAMPLER_ARGUMENT)) {
      all.putIfAbsent(SAMPLER, String.valueOf(DEFAULTS.get(SAMPLER)));
    }
    if (all.isEmpty() || failure(settings, all) != null) {
      return NONE; // the reason is not one of these
    }
    Map<String, String> replacements = new HashMap<>();
    List<String> complaints = new ArrayList<>();
    for (String name : new TreeSet<>(all.keySet())) {
      if (name.equals(SAMPLER_ARGUMENT)) {
        continue; // is tried with the sampler, without which it means nothing
      }
      List<String> tried =
          name.equals(SAMPLER) && all.containsKey(SAMPLER_ARGUMENT)
              ? List.of(SAMPLER, SAMPLER_ARGUMENT)
              : List.of(name);
      Map<String, String> others = new HashMap<>(all);
      others.keySet().removeAll(tried);
      Throwable failure = failure(settings, others);
      if (failure != null) {
        tried.forEach(one -> replacements.put(one, String.valueOf(all.get(one))));
        complaints.add(complaint(settings, tried, failure));
      }
    }
    return new RefusedSettings(replacements, complaints);
  }

  private static boolean mayBeRefused(String name) {
    if (!name.startsWith("otel.")) {
      return false; // such as a variable of otelcol
    }
    for (String start : READ_ELSEWHERE) {
      if (name.startsWith(start)) {
        return false;
      }
    }
    return true;
  }

  private static String complaint(Settings settings, List<String> names, Throwable failure) {
    List<String> given = new ArrayList<>();
    for (String name : names) {
      String value = settings.otel(name);
      if (value != null) {
        given.add(name.replace('.', '_').toUpperCase(Locale.ROOT) + "=" + value);
      }
    }
    return String.join(" with ", given) + " is ignored, the default is used: " + cause(failure);
  }

  /** The first message that says something: the SDK wraps it into one that does not. */
  static String cause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && !saysSomething(cause)) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }

  private static boolean saysSomething(Throwable failure) {
    return failure instanceof ConfigurationException
        && !"Unexpected configuration error".equals(failure.getMessage());
  }

  /** Why the SDK cannot be built with these replacements; null if it can. */
  private static @Nullable Throwable failure(Settings settings, Map<String, String> replacements) {
    try {
      SdkBuilder.autoconfiguration(settings)
          .addPropertiesCustomizer(config -> SdkBuilder.overrides(settings, config, replacements))
          .addTracerProviderCustomizer(
              (provider, config) -> {
                BatchingSpanProcessor.check(config);
                return provider;
              })
          .build()
          .getOpenTelemetrySdk()
          .close();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }
}
