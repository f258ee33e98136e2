package io.rollotel.benchmarks.peers;

import java.util.ArrayList;
import java.util.List;

/** A way to trace the same program. */
enum Contender {
  NOTHING("nothing", "plain", List.of()),
  EMPTY_PREMAIN("an empty premain", "plain", List.of("-javaagent:{empty}")),
  BY_HAND("SDK by hand, stock batch processor, OTLP/HTTP", "hand", List.of()),
  OTEL_JAVAAGENT("opentelemetry-javaagent, @WithSpan", "withspan", List.of("{otel}")),
  OTEL_LEAN(
      "the same, all other instrumentation off",
      "withspan",
      List.of(
          "{otel}",
          "-Dotel.instrumentation.common.default-enabled=false",
          "-Dotel.instrumentation.opentelemetry-instrumentation-annotations.enabled=true",
          "-Dotel.instrumentation.opentelemetry-api.enabled=true")),
  ELASTIC(
      "elastic-apm-agent, trace_methods",
      "plain",
      List.of(
          "-javaagent:{peers}/elastic-apm-agent.jar",
          "-Delastic.apm.server_url={sink}",
          "-Delastic.apm.trace_methods=io.rollotel.benchmarks.peers.Load#plain,"
              + "io.rollotel.benchmarks.peers.Smallest#train",
          "-Delastic.apm.log_level=OFF",
          "-Delastic.apm.metrics_interval=0",
          "-Delastic.apm.cloud_provider=NONE",
          "-Delastic.apm.central_config=false")),
  DATADOG(
      "dd-java-agent, trace.methods",
      "plain",
      List.of(
          "-javaagent:{peers}/dd-java-agent.jar",
          "-Ddd.trace.agent.url={sink}",
          "-Ddd.trace.methods=io.rollotel.benchmarks.peers.Load[plain];"
              + "io.rollotel.benchmarks.peers.Smallest[train]",
          "-Ddd.trace.sample.rate=1",
          "-Ddd.trace.rate.limit=1000000000",
          "-Ddd.profiling.enabled=false",
          "-Ddd.instrumentation.telemetry.enabled=false",
          "-Ddd.jmxfetch.enabled=false",
          "-Ddd.runtime.metrics.enabled=false",
          "-Ddd.remote_config.enabled=false")),
  OURS_OFF("roll-otel, disabled", "register", List.of("-javaagent:{ours}")),
  OURS("roll-otel, @Register", "register", List.of("-javaagent:{ours}=enabled"));

  private final String title;
  private final String how;

  @SuppressWarnings("ImmutableEnumChecker") // each is a List.of
  private final List<String> options;

  Contender(String title, String how, List<String> options) {
    this.title = title;
    this.how = how;
    this.options = options;
  }

  String title() {
    return title;
  }

  /** What {@link Load} is told. */
  String how() {
    return how;
  }

  /**
   * Whether it is run at a rate: where spans can be counted, since others speak protocols of their
   * own, and once for each way to export.
   */
  boolean isCounted() {
    return switch (this) {
      case NOTHING, BY_HAND, OTEL_JAVAAGENT, OURS -> true;
      default -> false;
    };
  }

  /** Whether a run under load is of use. */
  boolean isLoaded() {
    return this != EMPTY_PREMAIN;
  }

  boolean needsSdk() {
    return this == BY_HAND;
  }

  /** Without the API on the program's class path that agent leaves {@code @WithSpan} alone. */
  boolean needsApi() {
    return this == OTEL_JAVAAGENT || this == OTEL_LEAN;
  }

  /** The JVM's options, with the places filled in. */
  List<String> options(Places places, String sink) {
    List<String> filled = new ArrayList<>();
    for (String option : options) {
      filled.add(
          option
              .replace("{otel}", "-javaagent:{peers}/opentelemetry-javaagent.jar")
              .replace("{peers}", places.peers().toString())
              .replace("{ours}", places.agent().toString())
              .replace("{empty}", places.emptyAgent().toString())
              .replace("{sink}", sink));
    }
    return filled;
  }
}
