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
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The sender's side of OTLP/gRPC. Uses grpc-java and Netty's NIO transport, like the collector, and
 * takes encoded requests. Safe for use by several threads.
 */
public final class GrpcClient implements Closeable {

  private static final long LATENESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Map<Signal, MethodDescriptor<byte[], byte[]>> EXPORT =
      Map.of(
          Signal.TRACES, method("trace.v1.TraceService"),
          Signal.METRICS, method("metrics.v1.MetricsService"),
          Signal.LOGS, method("logs.v1.LogsService"));

  private static MethodDescriptor<byte[], byte[]> method(String service) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName("opentelemetry.proto.collector." + service + "/Export")
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
  }

  /** OTLP's method for exports of a signal, which takes and returns encoded messages. */
  public static MethodDescriptor<byte[], byte[]> exportMethod(Signal signal) {
    return Objects.requireNonNull(EXPORT.get(signal));
  }

  /**
   * The answer of the other side.
   *
   * @param code gRPC's status code, 0 if the request was accepted
   * @param text for people, may be empty
   * @param cause why no answer came, null if one did
   * @param asksToRetry whether a {@code google.rpc.RetryInfo} came with it
   * @param partial the part that was refused although the request was accepted
   */
  public record Answer(
      int code,
      String text,
      @Nullable Throwable cause,
      boolean asksToRetry,
      PartialSuccess partial) {

    private static final Set<Integer> PASSING = Set.of(1, 4, 10, 11, 14, 15);

    /** Whether the request was accepted. */
    public boolean isOk() {
      return code == 0;
    }

    /** Whether another attempt may succeed, by OTLP's specification. */
    public boolean isPassing() {
      return PASSING.contains(code) || (code == RESOURCE_EXHAUSTED && asksToRetry);
    }

    /** Whether the connection failed or was lost; a server may also report that. */
    public boolean isUnavailable() {
      return code == UNAVAILABLE;
    }

    /** Whether the status came from the other side: then it speaks gRPC. */
    public boolean isAnswer() {
      // grpc-java's message for an HTTP/2 answer that is not gRPC.
      return cause == null && code != UNAVAILABLE && !text.contains("HTTP status code");
    }
  }

  private static final int RESOURCE_EXHAUSTED = 8;
  private static final int UNAVAILABLE = 14;

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

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
   * @param tls trusted certificates and the own one; null for the JVM's defaults
   * @param threads supplies one thread while the client is open
   * @throws IllegalArgumentException for an endpoint without a host
   */
  public static GrpcClient open(
      URI endpoint, @Nullable SSLContext tls, long connectTimeoutMillis, Executor threads) {
    boolean isEncrypted = "https".equals(endpoint.getScheme());
    // Not a group with one thread, because the end of a group is announced on a thread that keeps
    // the JVM alive.
    EventLoop loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
    NettyChannelBuilder builder =
        builder(HostPort.of(endpoint))
            .eventLoopGroup(loop)
            .channelType(NioSocketChannel.class)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) connectTimeoutMillis)
            .executor(threads)
            .offloadExecutor(threads)
            // A proxy would need another part of Netty.
            .proxyDetector(address -> null);
    if (isEncrypted) {
      builder.sslContext(encryption(tls, ApplicationProtocolNames.HTTP_2));
    } else {
      builder.usePlaintext();
    }
    return new GrpcClient(builder.build(), loop);
  }

  /**
   * gRPC rejects names with an underscore, which containers may have, so the name is resolved here,
   * once.
   */
  private static NettyChannelBuilder builder(HostPort where) {
    if (where.host().indexOf('_') < 0) {
      return NettyChannelBuilder.forAddress(where.host(), where.port());
    }
    try {
      InetAddress address = InetAddress.getByAddress(where.addresses()[0].getAddress());
      return NettyChannelBuilder.forAddress(new InetSocketAddress(address, where.port()))
          .overrideAuthority(where.host() + ":" + where.port());
    } catch (IOException e) {
      throw new IllegalArgumentException("unknown host " + where.host(), e);
    }
  }

  /** The client's side of TLS, which offers this protocol. */
  static SslContext encryption(@Nullable SSLContext tls, String application) {
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
              application),
          ClientAuth.NONE,
          null,
          false);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no TLS", e);
    }
  }

  /**
   * Sends one request. It returns no future, because the first one in a JVM starts the common pool,
   * whose size the application may still set.
   *
   * @param onAnswer gets one answer, whatever happens
   */
  public void export(
      Signal signal,
      byte[] request,
      Map<String, List<String>> headers,
      boolean isGzip,
      long timeoutNanos,
      Consumer<Answer> onAnswer) {
    CallOptions options = CallOptions.DEFAULT.withCompression(isGzip ? "gzip" : "identity");
    if (timeoutNanos > 0) {
      options = options.withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS);
    }
    ClientCall<byte[], byte[]> call = channel.newCall(exportMethod(signal), options);
    Metadata metadata = new Metadata();
    headers.forEach(
        (name, values) -> {
          for (String value : values) {
            metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
          }
        });
    call.start(
        new ClientCall.Listener<>() {
          private PartialSuccess partial = PartialSuccess.NONE;

          @Override
          public void onMessage(byte[] message) {
            partial = PartialSuccess.of(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            String text = status.getDescription();
            onAnswer.accept(
                new Answer(
                    status.getCode().value(),
                    status.getCode() + (text == null ? "" : ": " + text),
                    status.getCause(),
                    asksToRetry(trailers),
                    partial));
          }
        },
        metadata);
    call.request(2);
    call.setMessageCompression(isGzip);
    call.sendMessage(request);
    call.halfClose();
  }

  private static boolean asksToRetry(Metadata trailers) {
    byte[] details = trailers.get(DETAILS);
    return details != null
        && new String(details, StandardCharsets.ISO_8859_1).contains("google.rpc.RetryInfo");
  }

  /**
   * {@link #export}, and waits for the answer; an interrupt has to wait as well.
   *
   * @param timeoutNanos the longest wait
   */
  public Answer exportAndWait(
      Signal signal,
      byte[] request,
      Map<String, List<String>> headers,
      boolean isGzip,
      long timeoutNanos) {
    BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(1);
    export(signal, request, headers, isGzip, Math.max(1, timeoutNanos), answers::add);
    // An answer always comes; the second bound is for a JVM without memory for it.
    long deadlineNanos = System.nanoTime() + timeoutNanos + LATENESS_NANOS;
    boolean interrupted = false;
    try {
      while (true) {
        try {
          Answer answer = answers.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
          return answer != null
              ? answer
              : new Answer(4, "DEADLINE_EXCEEDED", null, false, PartialSuccess.NONE);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Cancels the current call. */
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
