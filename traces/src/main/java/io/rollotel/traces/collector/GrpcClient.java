package io.rollotel.traces.collector;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A sender's side of OTLP/gRPC, over grpc-java and Netty's NIO transport as the collector's: takes
 * requests for spans that somebody else has encoded. Safe for use by several threads.
 */
public final class GrpcClient implements Closeable {

  /** More than a request of the agent's: what is larger is not tried again. */
  private static final long RETRY_BUFFER_BYTES = 32 << 20;

  private static final MethodDescriptor<byte[], byte[]> EXPORT =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("opentelemetry.proto.collector.trace.v1.TraceService/Export")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  /**
   * What the other side said.
   *
   * @param code gRPC's status code, 0 where it took the request
   * @param text for people, may be empty
   * @param cause why no answer came, null where one did
   */
  public record Answer(int code, String text, @Nullable Throwable cause) {}

  private final ManagedChannel channel;
  private final EventLoop loop;

  private GrpcClient(ManagedChannel channel, EventLoop loop) {
    this.channel = channel;
    this.loop = loop;
  }

  /**
   * A client; it connects when it is first used.
   *
   * @param endpoint scheme, host and port; with https the connection is encrypted
   * @param tls whom to trust and what to show, null for the JVM's default
   * @param serviceConfig grpc-java's, for retries; null for none
   * @param threads of which one is taken as long as the client is open
   * @throws IllegalArgumentException for an endpoint without a host
   */
  public static GrpcClient open(
      URI endpoint,
      @Nullable SSLContext tls,
      @Nullable Map<String, ?> serviceConfig,
      long connectTimeoutMillis,
      Executor threads) {
    if (endpoint.getHost() == null) {
      throw new IllegalArgumentException(endpoint + " names no host");
    }
    boolean isEncrypted = "https".equals(endpoint.getScheme());
    int port = endpoint.getPort() >= 0 ? endpoint.getPort() : isEncrypted ? 443 : 80;
    // Not a group of one: the end of a group is announced on a thread that keeps the JVM alive.
    EventLoop loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(endpoint.getHost(), port)
            .eventLoopGroup(loop)
            .channelType(NioSocketChannel.class)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) connectTimeoutMillis)
            .executor(threads)
            .offloadExecutor(threads)
            // A proxy would need another part of Netty.
            .proxyDetector(address -> null)
            .perRpcBufferLimit(RETRY_BUFFER_BYTES)
            .retryBufferSize(RETRY_BUFFER_BYTES);
    if (isEncrypted) {
      builder.sslContext(encryption(tls));
    } else {
      builder.usePlaintext();
    }
    if (serviceConfig != null) {
      builder.defaultServiceConfig(serviceConfig).enableRetry();
    }
    return new GrpcClient(builder.build(), loop);
  }

  private static SslContext encryption(@Nullable SSLContext tls) {
    try {
      return new JdkSslContext(
          tls != null ? tls : SSLContext.getDefault(),
          true,
          Http2SecurityUtil.CIPHERS,
          SupportedCipherSuiteFilter.INSTANCE,
          new ApplicationProtocolConfig(
              Protocol.ALPN,
              SelectorFailureBehavior.NO_ADVERTISE,
              SelectedListenerFailureBehavior.ACCEPT,
              ApplicationProtocolNames.HTTP_2),
          ClientAuth.NONE,
          null,
          false);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no TLS", e);
    }
  }

  /**
   * Sends one request. No future comes back: the first in a JVM starts the common pool, of the size
   * that the host has set by then.
   *
   * @param onAnswer gets one answer, whatever happens
   */
  public void export(
      byte[] request,
      Map<String, List<String>> headers,
      boolean isGzip,
      long timeoutNanos,
      Consumer<Answer> onAnswer) {
    CallOptions options = CallOptions.DEFAULT.withCompression(isGzip ? "gzip" : "identity");
    if (timeoutNanos > 0) {
      options = options.withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS);
    }
    ClientCall<byte[], byte[]> call = channel.newCall(EXPORT, options);
    Metadata metadata = new Metadata();
    headers.forEach(
        (name, values) -> {
          for (String value : values) {
            metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
          }
        });
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            String text = status.getDescription();
            onAnswer.accept(
                new Answer(
                    status.getCode().value(),
                    status.getCode() + (text == null ? "" : ": " + text),
                    status.getCause()));
          }
        },
        metadata);
    call.request(2);
    call.setMessageCompression(isGzip);
    call.sendMessage(request);
    call.halfClose();
  }

  /** Gives up what is under way. */
  @Override
  public void close() {
    channel.shutdownNow();
    Future<?> unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

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
  }
}
