package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.FaultyNetwork;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.TlsFront;
import io.rollotel.it.kit.TlsFront.Identity;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where Python is at the other end of a port, or looks for the protocol that a port speaks. */
@Tag("engines")
class PythonProtocolIT {

  private static final int GRPC_PORT = 4317;

  private @TempDir Path directory;

  /** ROLL's receiver is one of these: Python's gRPC server, and nothing else on its port. */
  @Test
  void pythonsGrpcServer_getsEverySpan() throws Exception {
    Path received = directory.resolve("received.txt");
    ProcessBuilder builder = python("receiver.py", received.toString());
    try (LiveProgram receiver = LiveProgram.of(Launched.clean(builder))) {
      int port = Integer.parseInt(receiver.await("port "));
      ProgramRun.of(directory, BurstWorker.class, "5000")
          .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
          .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + port)
          .run()
          .isClean();
    }
    assertThat(Files.readAllLines(received)).hasSize(5_000).doesNotHaveDuplicates();
  }

  /** The Python package's exporter, by a port of each kind, in the clear and encrypted. */
  @ParameterizedTest
  @CsvSource({
    "grpc, false, false",
    "grpc, true, false",
    "grpc, false, true",
    "http/protobuf, true, false",
    "http/protobuf, true, true"
  })
  void pythonPackage_findsOutToo(String spoken, boolean isGrpcPort, boolean isEncrypted)
      throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        FaultyNetwork network = network(isGrpcPort, collector.port(spoken))) {
      Identity client = Identity.make(directory, "client");
      Identity server = Identity.make(directory, "server", network.address());
      String application = spoken.equals("grpc") ? "h2" : "http/1.1";
      try (TlsFront front = TlsFront.start(server, client, application, collector.port(spoken))) {
        if (isEncrypted) {
          network.lead(front.port());
        }
        ProcessBuilder builder = python("ray_export.py", "3000");
        Launched.clean(builder)
            .environment()
            .putAll(
                Map.of(
                    "PYTHONPATH",
                    ProgramRun.ROOT.resolve("python/src").toString(),
                    "PYTHONDONTWRITEBYTECODE",
                    "1",
                    "ROLL_OTEL_OUTPUT_DIR",
                    directory.resolve("output/otlp").toString(),
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    isEncrypted ? network.url().replace("http:", "https:") : network.url(),
                    "OTEL_EXPORTER_OTLP_CERTIFICATE",
                    server.certificatePem().toString(),
                    "OTEL_EXPORTER_OTLP_CLIENT_KEY",
                    client.keyPem().toString(),
                    "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
                    client.certificatePem().toString()));
        assertThat(Finished.of(builder).isWell().err()).doesNotContain("[roll-otel]");
      }
    }
    assertThat(Result.spans(elsewhere))
        .extracting(Span::spanId)
        .hasSize(3_000)
        .doesNotHaveDuplicates();
    assertThat(directory.resolve("output/otlp/traces")).doesNotExist();
  }

  private static FaultyNetwork network(boolean isGrpcPort, int to) throws Exception {
    return isGrpcPort ? FaultyNetwork.on(GRPC_PORT, to) : FaultyNetwork.to(to);
  }

  private static ProcessBuilder python(String script, String argument) throws Exception {
    Path python = Engines.python("python", ProgramRun.ROOT.resolve("engines/requirements.txt"));
    return new ProcessBuilder(
        python.resolve("bin/python").toString(),
        ProgramRun.ROOT.resolve("integration-tests/src/test/python").resolve(script).toString(),
        argument);
  }
}
