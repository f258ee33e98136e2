package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.recording.HostName;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerEnvironmentTest {

  private final List<String> warnings = new ArrayList<>();
  private @TempDir Path directory;

  @Test
  void runThatIsOn_isWhatTheDriverHandsOnBeforeItsCollectorHasStarted() {
    try (Rendezvous driver = driver(null)) {
      assertThat(driver.isDriver()).isTrue();
      WorkerEnvironment found = find();
      assertThat(found).isNotNull();
      Map<String, String> variables = driver.workerEnvironment().variables(null);
      assertThat(found.variables(null)).isEqualTo(variables);
      assertThat(variables)
          .containsEntry("ROLL_OTEL_ENABLED", "1")
          .containsEntry("ROLL_OTEL_ROLE", "worker")
          .containsEntry("ROLL_OTEL_RUN_ID", driver.runId())
          .containsEntry("ROLL_OTEL_OUTPUT_DIR", directory.toString())
          .containsEntry("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
          .containsEntry("OTEL_RESOURCE_ATTRIBUTES", "roll.run_id=" + driver.runId());
      assertThat(variables.get("OTEL_EXPORTER_OTLP_ENDPOINT"))
          .matches("http://127\\.0\\.0\\.1:\\d+");
      assertThat(variables.get("OTEL_EXPORTER_OTLP_HEADERS"))
          .matches("authorization=Bearer%20[0-9a-f]{32}");
      assertThat(found.toString()).doesNotContain(found.collector().token());
    }
    assertThat(find()).as("the run is over").isNull();
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "this, http://127.0.0.1:1, http://127.0.0.1:2, http://127.0.0.1:2, grpc",
    "this, http://127.0.0.1:1, , http://127.0.0.1:1, http/protobuf",
    "this, http://127.0.0.1:1, nonsense, http://127.0.0.1:1, http/protobuf",
    "another, http://127.0.0.1:1, http://127.0.0.1:2, , ",
    "another, http://192.0.2.1:1, http://192.0.2.1:2, http://192.0.2.1:2, grpc",
    "another, http://192.0.2.1:1, http://127.0.0.1:2, http://192.0.2.1:1, http/protobuf",
  })
  void addressFile_isUsedAsFarAsItCanBeReached(
      String host,
      String http,
      @Nullable String grpc,
      @Nullable String endpoint,
      @Nullable String protocol)
      throws IOException {
    Path file = Files.createDirectories(directory.resolve("traces")).resolve(".driver");
    String name = host.equals("this") ? HostName.get() : host;
    long pid = ProcessHandle.current().pid();
    Files.writeString(
        file,
        "run_id=r\nhost=%s\npid=%d\nendpoint=%s\ntoken=t\n".formatted(name, pid, http)
            + (grpc == null ? "" : "grpc_endpoint=" + grpc + "\n"));

    WorkerEnvironment found = find();
    assertThat(found).isNotNull();
    Map<String, String> variables = found.variables(null);
    assertThat(variables.get("OTEL_EXPORTER_OTLP_ENDPOINT")).isEqualTo(endpoint);
    assertThat(variables.get("OTEL_EXPORTER_OTLP_PROTOCOL")).isEqualTo(protocol);
    assertThat(variables.containsKey("OTEL_EXPORTER_OTLP_HEADERS")).isEqualTo(endpoint != null);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      delimiter = '|',
      value = {
        "- | run | roll.run_id=run",
        "'' | run | roll.run_id=run",
        "a=1,b=2 | run | a=1,b=2,roll.run_id=run",
        "a=1, roll.run_id=old , b=%2C | run | a=1,b=%2C,roll.run_id=run",
        "- | a,b=ä+ c | roll.run_id=a%2Cb%3D%C3%A4%2B%20c",
      })
  void resourceAttributes_areMergedAndEncoded(
      @Nullable String given, String runId, String expected) {
    WorkerEnvironment environment =
        new WorkerEnvironment(
            runId,
            new Rendezvous.Collector(URI.create("http://127.0.0.1:1"), "", null, null),
            directory.toFile());
    assertThat(environment.variables(given))
        .containsEntry("OTEL_RESOURCE_ATTRIBUTES", expected)
        .doesNotContainKey("OTEL_EXPORTER_OTLP_HEADERS");
  }

  @Test
  void nobodyCollects_isTheRunAlone() {
    try (Rendezvous driver = driver("none")) {
      assertThat(driver.workerEnvironment().variables(null))
          .containsOnlyKeys(
              "ROLL_OTEL_ENABLED",
              "ROLL_OTEL_ROLE",
              "ROLL_OTEL_RUN_ID",
              "ROLL_OTEL_OUTPUT_DIR",
              "OTEL_RESOURCE_ATTRIBUTES");
    }
  }

  private @Nullable WorkerEnvironment find() {
    return WorkerEnvironment.ofRunIn(directory.toFile(), warnings::add);
  }

  private Rendezvous driver(@Nullable String kind) {
    return new Rendezvous(
        directory.toFile(),
        true,
        false,
        null,
        name -> name.equals("COLLECTOR") ? kind : null,
        warnings::add,
        line -> {});
  }
}
