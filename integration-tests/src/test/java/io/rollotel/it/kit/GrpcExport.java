package io.rollotel.it.kit;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/** Export requests over OTLP/gRPC, as the bytes that they are. */
public final class GrpcExport {

  /** Service and method. */
  public static final String NAME = "opentelemetry.proto.collector.trace.v1.TraceService/Export";

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

  private static final MethodDescriptor<byte[], byte[]> METHOD =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName(NAME)
          .setRequestMarshaller(AS_IT_IS)
          .setResponseMarshaller(AS_IT_IS)
          .build();

  private GrpcExport() {}

  /**
   * Sends a request.
   *
   * @param compression {@code gzip} or {@code identity}
   * @param answered takes what the collector has answered
   */
  public static void send(
      ManagedChannel channel, byte[] request, String compression, Consumer<Status> answered) {
    ClientCall<byte[], byte[]> call =
        channel.newCall(METHOD, CallOptions.DEFAULT.withCompression(compression));
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            answered.accept(status);
          }
        },
        new Metadata());
    call.request(2);
    call.setMessageCompression(true);
    call.sendMessage(request);
    call.halfClose();
  }
}
