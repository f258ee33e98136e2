package io.rollotel.agent.export;

import io.opentelemetry.exporter.internal.compression.Compressor;
import io.opentelemetry.exporter.internal.grpc.GrpcResponse;
import io.opentelemetry.exporter.internal.grpc.GrpcSender;
import io.opentelemetry.exporter.internal.grpc.GrpcSenderConfig;
import io.opentelemetry.exporter.internal.grpc.GrpcSenderProvider;
import io.opentelemetry.exporter.internal.grpc.ManagedChannelUtil;
import io.opentelemetry.exporter.internal.marshal.Marshaler;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.traces.collector.GrpcClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** How the SDK's exporter finds the way to send by gRPC: {@link GrpcClient}. */
public final class GrpcClientSenderProvider implements GrpcSenderProvider {

  private static final String SERVICE = "opentelemetry.proto.collector.trace.v1.TraceService";

  /** For the service loader. */
  public GrpcClientSenderProvider() {}

  @Override
  public <T extends Marshaler> GrpcSender<T> createSender(GrpcSenderConfig<T> config) {
    RetryPolicy retries = config.getRetryPolicy();
    GrpcClient client =
        GrpcClient.open(
            config.getEndpoint(),
            config.getSslContext(),
            retries == null ? null : ManagedChannelUtil.toServiceConfig(SERVICE, retries),
            TimeUnit.NANOSECONDS.toMillis(config.getConnectTimeoutNanos()),
            AgentThreads.passing());
    return new Sender<>(client, config);
  }

  private static final class Sender<T extends Marshaler> implements GrpcSender<T> {

    private final GrpcClient client;
    private final GrpcSenderConfig<T> config;
    private final boolean isGzip;

    Sender(GrpcClient client, GrpcSenderConfig<T> config) {
      this.client = client;
      this.config = config;
      Compressor compressor = config.getCompressor();
      isGzip = compressor != null && compressor.getEncoding().equals("gzip");
    }

    @Override
    public void send(T request, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(request.getBinarySerializedSize());
      try {
        request.writeBinaryTo(bytes);
      } catch (IOException e) {
        onError.accept(e);
        return;
      }
      Map<String, List<String>> headers = config.getHeadersSupplier().get();
      client.export(
          bytes.toByteArray(),
          headers == null ? Map.of() : headers,
          isGzip,
          config.getTimeoutNanos(),
          answer -> {
            if (answer.cause() != null) {
              onError.accept(answer.cause());
            } else {
              onResponse.accept(GrpcResponse.create(answer.code(), answer.text()));
            }
          });
    }

    @Override
    public CompletableResultCode shutdown() {
      client.close();
      return CompletableResultCode.ofSuccess();
    }
  }
}
