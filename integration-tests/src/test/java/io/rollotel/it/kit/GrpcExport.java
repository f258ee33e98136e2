package io.rollotel.it.kit;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.rollotel.traces.collector.GrpcClient;
import io.rollotel.traces.otlp.Signal;
import java.util.function.Consumer;

/** Export requests over OTLP/gRPC, as the bytes that they are. */
public final class GrpcExport {

  private static final MethodDescriptor<byte[], byte[]> METHOD =
      GrpcClient.exportMethod(Signal.TRACES);

  /** Service and method. */
  public static final String NAME = METHOD.getFullMethodName();

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
