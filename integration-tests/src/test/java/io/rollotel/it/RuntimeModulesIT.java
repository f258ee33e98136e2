package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A JVM with few of the JDK's modules, as an image of jlink or an application of modules has. */
class RuntimeModulesIT {

  private @TempDir Path directory;

  private ProgramRun program() {
    return ProgramRun.of(directory, PlainWorker.class)
        .jvmOptions("--limit-modules", "java.instrument");
  }

  @Test
  void moduleOfAgentsAlone_isTraced() throws Exception {
    Result result = program().run().isClean();

    assertThat(result.lines()).startsWith("sum 2", "caught no gradient");
    assertThat(result.spans()).hasSize(2);
  }

  @Test
  void metricsWithoutTheirModule_nameItAndSpansAreThere() throws Exception {
    Result result = program().environment("OTEL_METRICS_EXPORTER", "otlp").run();

    assertThat(result.said())
        .containsExactly(
            "[roll-otel] metrics are off: this JVM lacks the module java.logging, which they need: add it with"
                + " --add-modules");
    assertThat(result.spans()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "https, http/protobuf, java.net.http",
    "http, grpc, java.logging",
  })
  void protocolWithoutItsModule_isNamedAndTheSpansAreKept(
      String scheme, String protocol, String module) throws Exception {
    Result result =
        program()
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", scheme + "://127.0.0.1:1")
            .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
            .environment("ROLL_OTEL_EXIT_TIMEOUT", "20") // for a busy machine
            .run();

    assertThat(result.lines()).startsWith("sum 2", "caught no gradient");
    assertThat(result.said())
        .isNotEmpty()
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("this JVM lacks the module " + module + ", ", "--add-modules"));
    assertThat(result.spans()).hasSize(2);
  }
}
