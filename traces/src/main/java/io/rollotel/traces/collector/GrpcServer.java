package io.rollotel.traces.collector;

import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The server for OTLP/gRPC by grpc-java. A collector without a port for gRPC does not load it. */
final class GrpcServer {

  private static final int FLOW_CONTROL_WINDOW_BYTES = 64 << 10;

  /**
   * How many streams a client may open and reset within this many seconds, which costs the client
   * nothing. Beyond that, its connection is closed with ENHANCE_YOUR_CALM.
   */
  private static final int MAX_RESETS = 200;

  private static final int RESETS_SECONDS = 30;
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final long HANDSHAKE_SECONDS = 10;
  private static final long IDLE_MINUTES = 10;

  private final Server server;
  private final ScheduledThreadPoolExecutor clock;

  private GrpcServer(Server server, ScheduledThreadPoolExecutor clock) {
    this.server = server;
    this.clock = clock;
  }

  /** Serves connections to a socket, which already listens. */
  static GrpcServer open(
      ServerSocketChannel socket,
      Transport transport,
      RequestWriter writer,
      CollectorSettings.Limits limits,
      ThreadFactory threads,
      @Nullable SslContext tls)
      throws IOException {
    ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, threads);
    clock.setRemoveOnCancelPolicy(true);
    Connections connections = new Connections(socket, writer, limits.maxConnections(), false);
    GrpcEndpoint endpoint = new GrpcEndpoint(writer, limits, clock, connections);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(socket.getLocalAddress())
            .bossEventLoopGroup(transport.loops())
            .workerEventLoopGroup(transport.loops())
            .channelFactory(() -> connections)
            .withChildOption(ChannelOption.ALLOCATOR, transport.buffers())
            .withChildOption(ChannelOption.RECVBUF_ALLOCATOR, transport.reads())
            .directExecutor()
            .maxInboundMessageSize(limits.maxRequestBytes())
            .maxInboundMetadataSize(MAX_HEADER_BYTES)
            .maxConcurrentCallsPerConnection(limits.maxStreams())
            .maxRstFramesPerWindow(MAX_RESETS, RESETS_SECONDS)
            .flowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
            .decompressorRegistry(GrpcMessage.decompressors())
            .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
            .maxConnectionIdle(IDLE_MINUTES, TimeUnit.MINUTES)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addStreamTracerFactory(endpoint.tracers())
            .addTransportFilter(GrpcCall.knownConnections());
    if (tls != null) {
      builder.sslContext(tls);
    }
    builder.fallbackHandlerRegistry(endpoint.others());
    endpoint.services().forEach(builder::addService);
    Server server = builder.build();
    GrpcServer opened = new GrpcServer(server, clock);
    try {
      server.start();
      return opened;
    } catch (IOException e) {
      opened.close();
      throw new IOException("gRPC cannot be served: " + e.getMessage(), e);
    }
  }

  /** gRPC's requirements for TLS beside the files. */
  static SslContext encryption(CollectorSettings.Tls files, Consumer<String> warn)
      throws IOException {
    return new RenewedTls(files, usual -> GrpcSslContexts.configure(usual, SslProvider.JDK), warn);
  }

  /** Finishes the calls that are being served; waits a second at most. */
  void close() {
    server.shutdown();
    try {
      server.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.shutdownNow();
    clock.shutdownNow();
  }
}
