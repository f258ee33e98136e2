package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.GrpcExport;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.Protobuf;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shipped jar as a collector, on its own and in a driver. */
class CollectIT {

  private @TempDir Path directory;

  @Test
  void collectorOfTheJar_takesGrpcAndAJvmWithTheAgentFindsIt() throws Exception {
    Path dir = directory.resolve("output/otlp");
    try (CollectProcess collector = CollectProcess.start(dir, 0, 0)) {
      try (InputStream html = collector.page().toURL().openStream()) {
        assertThat(new String(html.readAllBytes(), UTF_8)).contains("roll-otel report", "\"live\"");
      }
      for (String compression : List.of("identity", "gzip")) {
        assertThat(export(collector.grpcPort(), compression).getCode()).isEqualTo(Status.Code.OK);
      }
      Result worker = ProgramRun.of(directory, PlainWorker.class).run().isClean();
      List<String> rest = collector.stop();
      assertThat(rest).as("no other word, of grpc-java's or Netty's").hasSize(1);
      assertThat(rest.get(0)).contains(", 4 spans written, 0 requests refused");
      assertThat(worker.spans())
          .extracting(span -> span.name())
          .contains("worker.train")
          .filteredOn(name -> name.equals("over grpc"))
          .hasSize(1);
    }
  }

  @Tag("campaign")
  @Test
  void collectorWithoutFileDescriptors_restsAndGoesOn() throws Exception {
    assumeThat(Path.of("/bin/bash")).exists();
    List<Socket> many = new ArrayList<>();
    try (CollectProcess collector = CollectProcess.startWithFiles(directory.resolve("o"), 64)) {
      for (int i = 0; i < 100; i++) {
        many.add(new Socket("127.0.0.1", collector.httpPort()));
        many.get(i).getOutputStream().write("POST /v1/tra".getBytes(UTF_8));
      }
      // Meanwhile the half requests have been given up.
      try (InputStream html = collector.page().toURL().openStream()) {
        assertThat(html.readAllBytes()).isNotEmpty();
      }
      String said = String.join("\n", collector.stop());
      assertThat(said).contains("cannot accept a connection");
      // One each second; a loop that spins counts thousands.
      assertThat(said.replaceAll("(?s).* (\\d+) requests refused.*", "$1")).matches("\\d{1,3}");
    } finally {
      for (Socket socket : many) {
        socket.close();
      }
    }
  }

  @Test
  void driverWithoutWorkersThatSpeakGrpc_loadsNothingOfIt() throws Exception {
    Path log = directory.resolve("classes.log");
    ProgramRun.of(directory, PlainWorker.class)
        .jvmOptions("-Xlog:class+load:file=" + log)
        .run()
        .isClean();

    assertThat(Files.readAllLines(log))
        .anyMatch(line -> line.contains(" io.rollotel.traces.collector.EmbeddedCollector "))
        .noneMatch(line -> line.contains(" io.grpc.") || line.contains(".codec.http2."));
  }

  /** Code that sets up the JDK's log manager would report that none has this name. */
  @Test
  void driverThatIsAskedByGrpc_leavesTheLogManagerAlone() throws Exception {
    try (LiveProgram driver =
        ProgramRun.of(directory, SteadyWorker.class, "10")
            .jvmOptions("-Djava.util.logging.manager=io.rollotel.it.None")
            .start()) {
      driver.await("= ready");
      while (driver.ask("?").equals("0")) {
        Thread.sleep(5); // a run is on from the first traced call
      }
      String env =
          ProgramRun.of(directory, SteadyWorker.class)
              .withoutAgent()
              .jar(ProgramRun.AGENT, "env", "--format=docker")
              .run()
              .out();
      String port = env.replaceAll("(?s).*OTLP_ENDPOINT=http://127.0.0.1:(\\d+).*", "$1");
      assertThat(export(Integer.parseInt(port), "identity").getCode())
          .as("without the token")
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(driver.end()).singleElement().asString().contains("with 401");
    }
  }

  private static Status export(int port, String compression) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    try {
      CompletableFuture<Status> end = new CompletableFuture<>();
      GrpcExport.send(channel, request(), compression, end::complete);
      return end.get();
    } finally {
      channel.shutdownNow();
    }
  }

  /** One span, "over grpc", by hand: resource spans 1, scope spans 2, spans 2. */
  private static byte[] request() {
    ByteArrayOutputStream span = new ByteArrayOutputStream();
    Protobuf.field(span, 1, new byte[16]);
    Protobuf.field(span, 2, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    Protobuf.field(span, 5, "over grpc".getBytes(UTF_8));
    return Protobuf.message(1, Protobuf.message(2, Protobuf.message(2, span.toByteArray())));
  }
}
