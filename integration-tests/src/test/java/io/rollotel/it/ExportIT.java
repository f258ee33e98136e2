package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.FileOtelcol;
import io.rollotel.it.kit.FreePort;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.TlsFront;
import io.rollotel.it.kit.TlsFront.Identity;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How spans reach an endpoint of the user's: protocol and encryption. */
class ExportIT {

  @TempDir static Path keys;

  private static Identity server;
  private static Identity client;

  private @TempDir Path directory;

  @BeforeAll
  static void makeKeys() throws Exception {
    server = Identity.make(keys, "server");
    client = Identity.make(keys, "client");
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_PROTOCOL, grpc, none",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, grpc, gzip",
    "OTEL_EXPORTER_OTLP_PROTOCOL, http/protobuf, gzip",
  })
  void protocolThatWasNamed_isSpoken(String name, String protocol, String compression)
      throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      Result result =
          worker()
              .environment(name, protocol)
              .environment("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
              .environment(
                  "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.port(protocol))
              .run()
              .isClean();
      assertThat(Result.spans(elsewhere)).hasSize(2);
      assertThat(result.directory().resolve("output/otlp/traces")).doesNotExist();
      assertThat(collector.stop()).singleElement().asString().contains(" 2 spans written, 0 req");
    }
  }

  @Test
  void portWhereNobodySpeaksGrpc_isOneLineAndTheSpansAreKept() throws Exception {
    Result result =
        worker()
            .environment("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + FreePort.find())
            .run()
            .isCleanBut(
                "cannot deliver spans to http://127.0.0.1:", "2 spans were not delivered to");
    assertThat(result.spans()).hasSize(2);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void certificatesOfTheSettings_letSpansThrough(String protocol) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        TlsFront front = front(protocol, collector)) {
      Result result = encrypted(protocol, front, server).run().isClean();
      assertThat(Result.spans(elsewhere)).hasSize(2);
      assertThat(result.directory().resolve("output/otlp/traces")).doesNotExist();

      Result doctor =
          encrypted(protocol, front, server).withoutAgent().jar(ProgramRun.AGENT, "doctor").run();
      assertThat(doctor.lines())
          .anyMatch(
              line -> line.matches("ok    export     https://.* accepted an empty request.*"));
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void certificateOfAnother_isOneLineAndTheSpansAreKept(String protocol) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        TlsFront front = front(protocol, collector)) {
      Result result = encrypted(protocol, front, client).run();
      assertThat(result.exitCode()).isZero();
      assertThat(result.err().lines())
          .hasSize(2)
          .allMatch(line -> line.contains("certification path"))
          .anyMatch(line -> line.contains("cannot deliver spans to https://"))
          .anyMatch(line -> line.contains("2 spans were not delivered to https://"));
      assertThat(result.spans()).hasSize(2);
      assertThat(Result.spans(elsewhere)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void certificateThatIsNotThere_isOneLineAndTheSpansAreKept(String protocol) throws Exception {
    Result result =
        worker()
            .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:" + FreePort.find())
            .environment("OTEL_EXPORTER_OTLP_CERTIFICATE", directory.resolve("none").toString())
            .run()
            .isCleanBut("the exporter otlp cannot be built", "2 spans were not delivered to");
    assertThat(result.spans()).hasSize(2);
  }

  @Tag("engines")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void otelcol_takesWhatTheAgentSends(String protocol) throws Exception {
    FileOtelcol otelcol =
        FileOtelcol.start(OtelcolDriverIT.otelcol(), protocol, directory.resolve("otelcol"));
    try (otelcol) {
      worker()
          .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
          .environment("OTEL_EXPORTER_OTLP_ENDPOINT", otelcol.endpoint())
          .run()
          .isClean();
    }
    assertThat(Result.spans(otelcol.traces())).hasSize(2);
    assertThat(directory.resolve("output/otlp/traces")).doesNotExist();
  }

  /** Which has the time to connect before it ends, on a busy machine as well. */
  private ProgramRun worker() {
    return ProgramRun.of(directory, PlainWorker.class).environment("ROLL_OTEL_EXIT_TIMEOUT", "50");
  }

  private static TlsFront front(String protocol, CollectProcess collector) throws Exception {
    String application = protocol.equals("grpc") ? "h2" : "http/1.1";
    return TlsFront.start(server, client, application, collector.port(protocol));
  }

  private ProgramRun encrypted(String protocol, TlsFront front, Identity trusted) {
    return worker()
        .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:" + front.port())
        .environment("OTEL_EXPORTER_OTLP_CERTIFICATE", trusted.certificatePem().toString())
        .environment("OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", client.keyPem().toString())
        .environment(
            "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", client.certificatePem().toString());
  }
}
