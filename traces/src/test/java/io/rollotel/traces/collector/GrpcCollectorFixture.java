package io.rollotel.traces.collector;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A collector with small limits, and clients of gRPC. */
@Timeout(600)
abstract class GrpcCollectorFixture {

  static final String TOKEN = "5ecret";
  static final String TRACES = "opentelemetry.proto.collector.trace.v1.TraceService/Export";
  static final int LIMIT_BYTES = 100_000;
  static final int BUDGET_BYTES = 300_000;
  static final int LIMIT_CONNECTIONS = 200;
  static final long PATIENCE_MILLIS = 2000;

  final List<String> log = new CopyOnWriteArrayList<>();
  final List<ManagedChannel> channels = new ArrayList<>();

  @TempDir Path dir;
  Path file;
  EmbeddedCollector collector;

  @BeforeEach
  void start() throws IOException {
    file = dir.resolve("traces/traces.jsonl");
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            0,
            0,
            null,
            new CollectorSettings.Limits(
                LIMIT_BYTES, BUDGET_BYTES, LIMIT_CONNECTIONS, 8, PATIENCE_MILLIS),
            FileRules.DEFAULT,
            new CollectorSettings.Page(true, null));
    collector = EmbeddedCollector.start(dir.toFile(), TOKEN, settings, log::add);
  }

  @AfterEach
  void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    collector.close();
  }

  static boolean isGood(String spanId) {
    long id = Long.parseUnsignedLong(spanId, 16);
    return id >= 1_000_000 && id < 1_002_000 && id % 100 == 0;
  }

  ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", collector.grpcPort())
            .usePlaintext()
            .disableRetry()
            .build();
    channels.add(channel);
    return channel;
  }

  Answer export(String method, byte[] request, String compression, String token) throws Exception {
    ManagedChannel channel = channel();
    try {
      return export(channel, method, request, compression, token).get();
    } finally {
      channel.shutdown();
    }
  }

  static CompletableFuture<Answer> export(
      ManagedChannel channel, String method, byte[] request, String compression, String token) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call = call(channel, method, compression);
    call.start(new Listener(answer), headers(token));
    call.request(2);
    call.setMessageCompression(true);
    call.sendMessage(request);
    call.halfClose();
    return answer;
  }

  /** A call whose parts are sent as they come; those of a unary call wait for its end. */
  ClientCall<byte[], byte[]> unfinishedCall() {
    return channel()
        .newCall(
            descriptor(TRACES, MethodDescriptor.MethodType.CLIENT_STREAMING), options("identity"));
  }

  static ClientCall<byte[], byte[]> call(
      ManagedChannel channel, String method, String compression) {
    return channel.newCall(
        descriptor(method, MethodDescriptor.MethodType.UNARY), options(compression));
  }

  static CallOptions options(String compression) {
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.MINUTES);
    return compression.equals("gzip") ? options.withCompression("gzip") : options;
  }

  static MethodDescriptor<byte[], byte[]> descriptor(
      String method, MethodDescriptor.MethodType type) {
    return GrpcClient.exportMethod(Signal.TRACES).toBuilder()
        .setType(type)
        .setFullMethodName(method)
        .build();
  }

  static Metadata headers(String token) {
    Metadata headers = new Metadata();
    if (!token.isEmpty()) {
      headers.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    }
    return headers;
  }

  record Answer(Status status, Metadata trailers, byte[] message) {

    /** What the status's RetryInfo says; 0 where there is none. */
    int retryDelaySeconds() {
      byte[] details =
          trailers.get(Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER));
      return details == null ? 0 : details[details.length - 1];
    }
  }

  static final class Listener extends ClientCall.Listener<byte[]> {

    private final CompletableFuture<Answer> answer;
    private byte[] message = {};

    Listener(CompletableFuture<Answer> answer) {
      this.answer = answer;
    }

    @Override
    public void onMessage(byte[] received) {
      message = received;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      answer.complete(new Answer(status, trailers, message));
    }
  }
}
