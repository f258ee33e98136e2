package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.rollotel.it.ProgramRun.Result;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The shipped jar as a collector, on its own and in a driver. */
@Timeout(120)
class CollectIT {

  private @TempDir Path directory;

  @Test
  void collectorOfTheJar_takesGrpcAndAJvmWithTheAgentFindsIt() throws Exception {
    Path dir = directory.resolve("output/otlp");
    Process collector =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-jar",
                ProgramRun.AGENT.toString(),
                "collect",
                "--dir=" + dir,
                "--grpc=0",
                "--http=0")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said = collector.inputReader(UTF_8)) {
      assertThat(said.readLine()).startsWith("OTLP/HTTP on http://127.0.0.1:");
      Matcher grpc = Pattern.compile("OTLP/gRPC on 127.0.0.1:(\\d+)").matcher(said.readLine());
      assertThat(grpc.matches()).isTrue();
      assertThat(said.readLine()).startsWith("writes to ");
      Matcher page = Pattern.compile("shows the run on (http://\\S+)").matcher(said.readLine());
      assertThat(page.matches()).isTrue();
      try (InputStream html = URI.create(page.group(1)).toURL().openStream()) {
        assertThat(new String(html.readAllBytes(), UTF_8)).contains("roll-otel report", "\"live\"");
      }
      for (String compression : List.of("identity", "gzip")) {
        assertThat(export(Integer.parseInt(grpc.group(1)), compression).getCode())
            .isEqualTo(Status.Code.OK);
      }
      Result worker = ProgramRun.of(directory, PlainWorker.class).run().isClean();
      collector.toHandle().destroy();
      List<String> rest = said.lines().toList();
      assertThat(rest).as("no other word, of grpc-java's or Netty's").hasSize(1);
      assertThat(rest.get(0)).contains(", 4 spans written, 0 requests refused");
      assertThat(worker.spans())
          .extracting(span -> span.name())
          .contains("worker.train")
          .filteredOn(name -> name.equals("over grpc"))
          .hasSize(1);
    } finally {
      collector.destroyForcibly();
    }
  }

  @Test
  void driverWithoutAGrpcPort_loadsNothingOfGrpc() throws Exception {
    Path log = directory.resolve("classes.log");
    ProgramRun.of(directory, PlainWorker.class)
        .jvmOptions("-Xlog:class+load:file=" + log)
        .run()
        .isClean();

    assertThat(Files.readAllLines(log))
        .anyMatch(line -> line.contains(" io.rollotel.traces.collector.EmbeddedCollector "))
        .noneMatch(line -> line.contains(" io.grpc.") || line.contains(" io.netty."));
  }

  @Test
  void driverWithAGrpcPort_opensIt() throws Exception {
    Path log = directory.resolve("classes.log");
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .environment("ROLL_OTEL_GRPC_PORT", "0")
            // Whoever set up the JDK's log manager would be told that there is none of this name.
            .jvmOptions("-Djava.util.logging.manager=io.rollotel.it.None")
            .jvmOptions("-Xlog:class+load:file=" + log)
            .run()
            .isClean();

    assertThat(result.spans()).hasSize(2);
    assertThat(Files.readAllLines(log))
        .anyMatch(line -> line.contains(" io.grpc.netty.NettyServer "));
  }

  private static Status export(int port, String compression) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    try {
      MethodDescriptor<byte[], byte[]> method =
          MethodDescriptor.<byte[], byte[]>newBuilder()
              .setType(MethodDescriptor.MethodType.UNARY)
              .setFullMethodName("opentelemetry.proto.collector.trace.v1.TraceService/Export")
              .setRequestMarshaller(new Bytes())
              .setResponseMarshaller(new Bytes())
              .build();
      ClientCall<byte[], byte[]> call =
          channel.newCall(method, CallOptions.DEFAULT.withCompression(compression));
      CompletableFuture<Status> end = new CompletableFuture<>();
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              end.complete(status);
            }
          },
          new Metadata());
      call.request(2);
      call.setMessageCompression(true);
      call.sendMessage(request());
      call.halfClose();
      return end.get();
    } finally {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  /** One span, "over grpc", by hand: resource spans 1, scope spans 2, spans 2. */
  private static byte[] request() {
    ByteArrayOutputStream span = new ByteArrayOutputStream();
    field(span, 1, new byte[16]);
    field(span, 2, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    field(span, 5, "over grpc".getBytes(UTF_8));
    ByteArrayOutputStream scope = new ByteArrayOutputStream();
    field(scope, 2, span.toByteArray());
    ByteArrayOutputStream resource = new ByteArrayOutputStream();
    field(resource, 2, scope.toByteArray());
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    field(request, 1, resource.toByteArray());
    return request.toByteArray();
  }

  private static void field(ByteArrayOutputStream out, int number, byte[] value) {
    out.write(number << 3 | 2);
    out.write(value.length);
    out.writeBytes(value);
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
