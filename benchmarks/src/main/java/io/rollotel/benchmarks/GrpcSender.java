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

/** Sends over OTLP/gRPC. */
final class GrpcSender extends OtlpSender {

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

  private final ManagedChannel channel;

  GrpcSender(int port) {
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .directExecutor()
            .disableRetry()
            .build();
  }

  @Override
  void send(byte[] request) {
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
    answer.join();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
