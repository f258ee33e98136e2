package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.ProgramRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The host may set up the JDK even after its first traced call, and the agent does not use what the
 * host registers. docs/compatibility.md lists what stays frozen.
 */
class HostSettingsIT {

  private @TempDir Path directory;

  private static final String[] EFFECTS = {
    "result 1",
    "effect http.agent",
    "effect http.keepAlive",
    "effect http.maxRedirects",
    "effect java.net.useSystemProxies",
    "effect java.util.concurrent.ForkJoinPool.common.parallelism",
    "effect networkaddress.cache.ttl",
    "effect sun.net.http.allowRestrictedHeaders",
    "effect user.timezone"
  };

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, http/protobuf, none",
    "localhost, http/protobuf, gzip",
    "127.0.0.1, grpc, none",
  })
  void settingMadeAfterTheFirstExport_hasItsEffect(String host, String protocol, String compression)
      throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      assertThat(
              host("settings", elsewhere.resolve("traces/traces.jsonl"))
                  .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
                  .environment("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
                  .environment(
                      "OTEL_EXPORTER_OTLP_ENDPOINT",
                      "http://" + host + ":" + collector.port(protocol))
                  .run()
                  .isClean()
                  .lines())
          .containsExactlyInAnyOrder(EFFECTS);
    }
  }

  @Test
  void settingMadeAfterTheFirstExportOfMetrics_hasItsEffect() throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      assertThat(
              host("metrics", elsewhere.resolve("metrics/metrics.jsonl"))
                  .openTelemetry(System.getProperty("opentelemetry.newest"), false)
                  .environment("OTEL_METRIC_EXPORT_INTERVAL", "200")
                  .environment(
                      "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.httpPort())
                  .run()
                  .isClean()
                  .lines())
          .containsExactlyInAnyOrder(EFFECTS);
    }
  }

  @Test
  void settingMadeInADriver_hasItsEffect() throws Exception {
    assertThat(
            host("settings", directory.resolve("output/otlp/traces/traces.jsonl"))
                .run()
                .isClean()
                .lines())
        .containsExactlyInAnyOrder(EFFECTS);
  }

  @Test
  void whatTheHostRegistered_isNotAsked() throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      assertThat(
              host("callbacks", elsewhere.resolve("traces/traces.jsonl"))
                  .environment(
                      "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.httpPort())
                  .run()
                  .isClean()
                  .lines())
          .containsExactly("result 1", "asked []");
    }
  }

  private ProgramRun host(String what, Path exported) {
    return ProgramRun.of(directory, HostSettingsWorker.class, what, exported.toString())
        .jvmOptions("--add-exports=java.base/sun.net=ALL-UNNAMED");
  }
}
