package io.rollotel.benchmarks;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Sends spans over OTLP/gRPC as fast as they are acknowledged: one request at once. */
final class OtlpSender implements AutoCloseable {

  private static final MethodDescriptor.Marshaller<byte[]> AS_IT_IS =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private static final MethodDescriptor<byte[], byte[]> EXPORT =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("opentelemetry.proto.collector.trace.v1.TraceService/Export")
          .setRequestMarshaller(AS_IT_IS)
          .setResponseMarshaller(AS_IT_IS)
          .build();

  private final OtlpBatch batch;
  private final ManagedChannel channel;

  OtlpSender(int port, int number) {
    batch = new OtlpBatch(number);
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .directExecutor()
            .disableRetry()
            .build();
  }

  /** Sends until the shared count of requests is used up; each must be acknowledged. */
  void send(AtomicLong next, long end) {
    for (long request = next.getAndIncrement(); request < end; request = next.getAndIncrement()) {
      export(batch.from(request * OtlpBatch.SPANS)).join();
    }
  }

  private CompletableFuture<Void> export(byte[] request) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    // There is no server yet where it is only just being started.
    ClientCall<byte[], byte[]> call =
        channel.newCall(EXPORT, CallOptions.DEFAULT.withWaitForReady());
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            if (status.isOk()) {
              answer.complete(null);
            } else {
              answer.completeExceptionally(status.asRuntimeException());
            }
          }
        },
        new Metadata());
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
    return answer;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
