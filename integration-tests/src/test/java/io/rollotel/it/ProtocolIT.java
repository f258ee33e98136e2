package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.FaultyNetwork;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.TlsFront;
import io.rollotel.it.kit.TlsFront.Identity;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An endpoint without a protocol: the agent, doctor and replay find out which protocol its port
 * speaks.
 */
class ProtocolIT {

  private static final int GRPC_PORT = 4317;

  private @TempDir Path directory;
  private Path elsewhere;

  @BeforeEach
  void nameTheOtherSide() {
    elsewhere = directory.resolve("elsewhere");
  }

  /**
   * Whether the port's number or its answer decides: each span is received once, except those for
   * which the queue had no room.
   */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "grpc, false, none, speaks gRPC",
    "grpc, false, gzip, speaks gRPC",
    "grpc, true, none, ''",
    "http/protobuf, true, none, speaks HTTP",
    "http/protobuf, false, none, ''",
  })
  void whateverThePortSpeaks_getsEverySpanOnce(
      String spoken, boolean isGrpcPort, String compression, String said) throws Exception {
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        FaultyNetwork network = network(isGrpcPort, collector.port(spoken))) {
      Result result =
          ProgramRun.of(directory, BurstWorker.class, "20000")
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
              .environment("ROLL_OTEL_LOG", "info")
              .environment("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", network.url())
              .run();
      assertThat(result.exitCode()).isZero();
      assertThat(result.said())
          .filteredOn(line -> line.contains(" speaks "))
          .hasSize(said.isEmpty() ? 0 : 1)
          .allMatch(line -> line.contains(network.url() + " " + said));
      assertThat(result.said())
          .anyMatch(line -> line.contains("enabled; traces go to " + network.url()));
      List<String> received = Result.spans(elsewhere).stream().map(Span::spanId).toList();
      assertThat(received).hasSizeGreaterThan(2_000).doesNotHaveDuplicates();
      // A batch on its way when the queue is full is in both: a reader joins them by their ids.
      Set<String> all = new HashSet<>(received);
      if (Files.exists(directory.resolve("output/otlp/traces"))) {
        all.addAll(result.spans().stream().map(Span::spanId).toList());
      }
      assertThat(all).hasSize(20_000 - result.dropped());
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void metrics_goTheSameWay(String spoken) throws Exception {
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        FaultyNetwork network = network(!spoken.equals("grpc"), collector.port(spoken))) {
      ProgramRun.of(directory, RunsWorker.class)
          .telemetry()
          .openTelemetry(System.getProperty("opentelemetry.newest"), false)
          .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
          .environment("ROLL_OTEL_RUNS_ENABLED", "1")
          .environment("OTEL_EXPORTER_OTLP_ENDPOINT", network.url())
          .run();
      assertThat(elsewhere.resolve("metrics/metrics.jsonl")).exists();
      assertThat(Files.readString(elsewhere.resolve("metrics/metrics.jsonl")))
          .contains("resourceMetrics");
    }
  }

  /** As a published port of a container before its server listens: it closes each connection. */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"grpc, false", "grpc, true", "http/protobuf, false", "http/protobuf, true"})
  void portThatOpensLate_losesNothingAndIsSpokenToInItsProtocol(String spoken, boolean isGrpcPort)
      throws Exception {
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        FaultyNetwork network = network(isGrpcPort, collector.port(spoken))) {
      network.set(FaultyNetwork.State.LOST);
      try (LiveProgram worker =
          ProgramRun.of(directory, SteadyWorker.class, "500")
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", network.url())
              .start()) {
        worker.await("= ready");
        Patience.until(
            () -> "spans are kept: " + worker.err(),
            worker.handle(),
            () -> worker.err().contains("until it answers they go to "));
        network.set(FaultyNetwork.State.GOOD);
        Path file = elsewhere.resolve("traces/traces.jsonl");
        Patience.until(
            () -> "spans arrive: " + worker.err(),
            worker.handle(),
            () -> Files.exists(file) && Files.size(file) > 0);
        int made = Integer.parseInt(worker.ask("stop"));
        List<String> said = worker.end();
        List<Span> kept = Result.spans(directory.resolve("output/otlp"));
        Set<String> all = new HashSet<>(kept.stream().map(Span::spanId).toList());
        all.addAll(Result.spans(elsewhere).stream().map(Span::spanId).toList());
        assertThat(all).hasSize(made);
        assertThat(said)
            .filteredOn(line -> line.contains("set aside in"))
            .singleElement()
            .asString()
            .contains(kept.size() + " spans were not delivered to " + network.url())
            .contains("output/otlp/traces/");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void portThatOnlyCloses_decidesNothingAndTheWarningSaysWhereSpansAre(boolean isGrpcPort)
      throws Exception {
    try (FaultyNetwork network = network(isGrpcPort, 1)) {
      network.set(FaultyNetwork.State.LOST);
      Result result =
          ProgramRun.of(directory, PlainWorker.class)
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", network.url())
              .run()
              .isCleanBut("cannot deliver spans to", "2 spans were not delivered to");
      assertThat(result.err()).doesNotContain("speaks");
      assertThat(result.spans()).hasSize(2);
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_PROTOCOL, grpc, http/protobuf, HTTP",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, http/protobuf, grpc, gRPC",
  })
  void protocolThatWasSet_holdsAndTheWarningNamesTheSetting(
      String setting, String set, String spoken, String title) throws Exception {
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      String endpoint = "http://127.0.0.1:" + collector.port(spoken);
      Result result =
          ProgramRun.of(directory, PlainWorker.class)
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
              .environment(setting, set)
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
              .run()
              .isCleanBut("cannot deliver spans to", "2 spans were not delivered to");
      String advice = "this port speaks " + title + ": set " + setting + "=" + spoken;
      assertThat(result.err()).contains(advice);
      assertThat(result.spans()).hasSize(2);
      assertThat(Result.spans(elsewhere)).isEmpty();

      Result doctor =
          doctor()
              .environment(setting, set)
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
              .run();
      assertThat(doctor.exitCode()).isEqualTo(1);
      assertThat(doctor.lines()).anyMatch(line -> line.startsWith("FAIL") && line.contains(advice));
    }
  }

  @Test
  void endpointWithoutAScheme_saysWhatToWrite() throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4317")
            .run()
            .isCleanBut("has no scheme: write http://127.0.0.1:4317", "2 spans were not delivered");
    assertThat(result.spans()).hasSize(2);
    Result doctor = doctor().environment("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4317").run();
    assertThat(doctor.out()).contains("has no scheme: write http://127.0.0.1:4317");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"h2", "http/1.1"})
  void encryptedPort_isFoundOutToo(String application) throws Exception {
    Identity client = Identity.make(directory, "client");
    boolean isGrpc = application.equals("h2");
    String spoken = isGrpc ? "grpc" : "http/protobuf";
    // The other port than the protocol's own, so that only the answer tells.
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        FaultyNetwork network = network(!isGrpc, 1)) {
      Identity server = Identity.make(directory, "server", network.address());
      try (TlsFront front = TlsFront.start(server, client, application, collector.port(spoken))) {
        network.lead(front.port());
        String endpoint = network.url().replace("http:", "https:");
        Result result = encrypted(endpoint, server, client).run().isClean();
        assertThat(result.directory().resolve("output/otlp/traces")).doesNotExist();
        assertThat(Result.spans(elsewhere)).hasSize(2);

        Result doctor =
            encrypted(endpoint, server, client)
                .withoutAgent()
                .jar(ProgramRun.AGENT, "doctor")
                .run();
        assertThat(doctor.out())
            .contains("this port speaks " + (isGrpc ? "gRPC" : "HTTP") + "; the agent finds")
            .contains("accepted an empty request");
      }
    }
  }

  /** As Kestrel (400) and others do where a port is for gRPC alone. */
  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {400, 426, 505})
  void portThatAnswersHttp1ByThisStatus_isSpokenToByGrpc(int status) throws Exception {
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0);
        FaultyNetwork network = FaultyNetwork.to(collector.port("grpc"))) {
      network.takeHttp2Alone(status);
      Result worker =
          ProgramRun.of(directory, PlainWorker.class)
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", network.url())
              .run()
              .isClean();
      assertThat(worker.directory().resolve("output/otlp/traces")).doesNotExist();
      assertThat(Result.spans(elsewhere)).hasSize(2);

      Result doctor = doctor().environment("OTEL_EXPORTER_OTLP_ENDPOINT", network.url()).run();
      assertThat(doctor.exitCode()).as(doctor.out()).isZero();
      assertThat(doctor.out())
          .contains("this port speaks gRPC; the agent finds")
          .contains("accepted an empty request, by gRPC");

      ProgramRun.of(directory, PlainWorker.class).run().isClean();
      Result replay =
          ProgramRun.of(directory, PlainWorker.class)
              .withoutAgent()
              .jar(ProgramRun.AGENT, "replay", "output/otlp", "--endpoint=" + network.url())
              .run();
      assertThat(replay.exitCode()).as(replay.err()).isZero();
      assertThat(Result.spans(elsewhere)).hasSize(4);
    }
  }

  /** Docker Compose names hosts so; a {@link java.net.URI} then has no host, only an authority. */
  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void hostWithAnUnderscore_getsEverySpan(String spoken) throws Exception {
    Path hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.1 otel_collector\n");
    try (CollectProcess collector = CollectProcess.startWithToken(elsewhere, "open-sesame")) {
      assertThat(collector.page().toString()).as("no secret in a log").endsWith("/?token=TOKEN");
      String endpoint = "http://otel_collector:" + collector.port(spoken);
      ProgramRun.of(directory, PlainWorker.class)
          .jvmOptions("-Djdk.net.hosts.file=" + hosts)
          .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
          .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
          .environment("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20open-sesame")
          .run()
          .isClean();
      assertThat(Result.spans(elsewhere)).hasSize(2);

      Result doctor =
          doctor()
              .jvmOptions("-Djdk.net.hosts.file=" + hosts)
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
              .environment("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20open-sesame")
              .run();
      assertThat(doctor.out()).contains("accepted an empty request").doesNotContain("FAIL");
      ProgramRun.of(directory, PlainWorker.class).run().isClean();
      Result replay =
          ProgramRun.of(directory, PlainWorker.class)
              .withoutAgent()
              .jvmOptions("-Djdk.net.hosts.file=" + hosts)
              .jar(
                  ProgramRun.AGENT,
                  "replay",
                  "output/otlp",
                  "--endpoint=" + endpoint,
                  "--header=authorization=Bearer open-sesame")
              .run();
      assertThat(replay.exitCode()).as(replay.err()).isZero();
      assertThat(Result.spans(elsewhere)).hasSize(4);
    }
  }

  private ProgramRun encrypted(String endpoint, Identity server, Identity client) {
    return ProgramRun.of(directory, PlainWorker.class)
        .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .environment("OTEL_EXPORTER_OTLP_CERTIFICATE", server.certificatePem().toString())
        .environment("OTEL_EXPORTER_OTLP_CLIENT_KEY", client.keyPem().toString())
        .environment("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", client.certificatePem().toString());
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void doctorAndReplay_findOutToo(String spoken) throws Exception {
    Result made = ProgramRun.of(directory, PlainWorker.class).run().isClean();
    assertThat(made.spans()).hasSize(2);
    try (CollectProcess collector = CollectProcess.start(elsewhere, 0, 0)) {
      String endpoint = "http://127.0.0.1:" + collector.port(spoken);
      Result doctor = doctor().environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint).run();
      assertThat(doctor.exitCode()).as(doctor.out()).isZero();
      assertThat(doctor.out())
          .contains("this port speaks " + (spoken.equals("grpc") ? "gRPC" : "HTTP"))
          .contains("accepted an empty request")
          .matches("[\\n\\x20-\\x7e]*");
      Result replay =
          ProgramRun.of(directory, PlainWorker.class)
              .withoutAgent()
              .jar(ProgramRun.AGENT, "replay", "output/otlp", "--endpoint=" + endpoint)
              .run();
      assertThat(replay.exitCode()).as(replay.err()).isZero();
      assertThat(replay.out()).contains("2 spans sent to " + endpoint);
      assertThat(Result.spans(elsewhere)).hasSize(2);
    }
  }

  private ProgramRun doctor() {
    return ProgramRun.of(directory, PlainWorker.class)
        .withoutAgent()
        .jar(ProgramRun.AGENT, "doctor");
  }

  private static FaultyNetwork network(boolean isGrpcPort, int to) throws Exception {
    return isGrpcPort ? FaultyNetwork.on(GRPC_PORT, to) : FaultyNetwork.to(to);
  }
}
