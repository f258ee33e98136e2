package io.rollotel.traces.collector;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server for OTLP/gRPC: grpc-java over Netty's NIO transport. A collector without a gRPC port
 * loads neither.
 */
final class GrpcServer {

  private static final int LOOPS = 2;
  private static final int BACKLOG = 512;
  private static final int FLOW_CONTROL_WINDOW_BYTES = 64 << 10;
  private static final int MIN_READ_BYTES = 1 << 10;
  static final int MAX_READ_BYTES = 16 << 10;
  private static final int PAGE_BYTES = 8 << 10;
  private static final int CHUNK_ORDER = 9; // 4 MiB
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final long HANDSHAKE_SECONDS = 10;
  private static final long IDLE_MINUTES = 10;

  private final Server server;
  private final EventLoopGroup loops;
  private final ScheduledThreadPoolExecutor clock;

  private GrpcServer(Server server, EventLoopGroup loops, ScheduledThreadPoolExecutor clock) {
    this.server = server;
    this.loops = loops;
    this.clock = clock;
  }

  static GrpcServer open(
      InetSocketAddress address,
      RequestWriter writer,
      CollectorSettings.Limits limits,
      ThreadFactory threads)
      throws IOException {
    // Watches one buffer in 128 in case it is not given back, for developers of Netty's users.
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, threads);
    clock.setRemoveOnCancelPolicy(true);
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(LOOPS, threads, NioIoHandler.newFactory());
    GrpcEndpoint endpoint = new GrpcEndpoint(writer, limits, clock);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .channelFactory(() -> new Connections(writer, limits.maxConnections()))
            .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
            .withChildOption(ChannelOption.ALLOCATOR, allocator())
            .withChildOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, MIN_READ_BYTES, MAX_READ_BYTES))
            .directExecutor()
            .maxInboundMessageSize(limits.maxRequestBytes())
            .maxInboundMetadataSize(MAX_HEADER_BYTES)
            .maxConcurrentCallsPerConnection(limits.maxStreams())
            .flowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
            .decompressorRegistry(GrpcMessage.decompressors())
            .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
            .maxConnectionIdle(IDLE_MINUTES, TimeUnit.MINUTES)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addStreamTracerFactory(endpoint.tracers())
            .addTransportFilter(GrpcEndpoint.connections());
    builder.fallbackHandlerRegistry(endpoint.others());
    endpoint.services().forEach(builder::addService);
    Server server = builder.build();
    GrpcServer opened = new GrpcServer(server, loops, clock);
    try {
      server.start();
      return opened;
    } catch (IOException e) {
      opened.close();
      throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
    }
  }

  /**
   * One place for the buffers of all connections, from the lowest free address up, in pieces that
   * the C library gives back to the system as soon as they are free: it keeps smaller ones. Grown
   * for many threads and kept by each, as the transport would have it, they took twice the memory.
   */
  private static ByteBufAllocator allocator() {
    return new PooledByteBufAllocator(true, 0, 1, PAGE_BYTES, CHUNK_ORDER, 0, 0, false);
  }

  int port() {
    return server.getPort();
  }

  /** Finishes the calls that are being served, for which it waits a second at most. */
  void close() {
    server.shutdown();
    try {
      server.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.shutdownNow();
    Future<?> unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    clock.shutdownNow();
  }

  /** Accepts connections up to a number; closes what is more at once. */
  private static final class Connections extends NioServerSocketChannel {

    private final RequestWriter writer;
    private final int maxConnections;
    private final AtomicInteger open = new AtomicInteger();

    Connections(RequestWriter writer, int maxConnections) {
      this.writer = writer;
      this.maxConnections = maxConnections;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int count = super.doReadMessages(accepted);
      if (count <= 0) {
        return count;
      }
      SocketChannel connection = (SocketChannel) accepted.get(accepted.size() - 1);
      if (open.incrementAndGet() <= maxConnections) {
        connection.closeFuture().addListener(closed -> open.decrementAndGet());
        return count;
      }
      open.decrementAndGet();
      accepted.remove(accepted.size() - 1);
      writer.refused(
          new Refusal(
              Refusal.Reason.CONNECTION, "more than " + maxConnections + " connections at once"),
          String.valueOf(connection.remoteAddress()));
      connection.unsafe().closeForcibly();
      return 0;
    }
  }
}
