package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.ProgramRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JDK is the host's to set up, after its first traced call as well, and what the host registers
 * with it is not asked for the agent's sake. What stays frozen, docs/compatibility.md says.
 */
class HostSettingsIT {

  private @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip"})
  void settingMadeAfterTheFirstExport_hasItsEffect(String compression) throws Exception {
    assertThat(lines("settings", compression))
        .containsExactlyInAnyOrder(
            "result 1",
            "effect http.agent",
            "effect http.keepAlive",
            "effect http.maxRedirects",
            "effect java.net.useSystemProxies",
            "effect java.util.concurrent.ForkJoinPool.common.parallelism",
            "effect networkaddress.cache.ttl",
            "effect sun.net.http.allowRestrictedHeaders",
            "effect user.timezone");
  }

  @Test
  void whatTheHostRegistered_isNotAsked() throws Exception {
    assertThat(lines("callbacks", "none")).containsExactly("result 1", "asked []");
  }

  private List<String> lines(String what, String compression) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      return ProgramRun.of(
              directory,
              HostSettingsWorker.class,
              what,
              elsewhere.resolve("traces/traces.jsonl").toString())
          .jvmOptions("--add-exports=java.base/sun.net=ALL-UNNAMED")
          .environment("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
          .environment(
              "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.port("http/protobuf"))
          .run()
          .isClean()
          .lines();
    }
  }
}
