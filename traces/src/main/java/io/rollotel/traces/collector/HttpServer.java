package io.rollotel.traces.collector;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/** The server for OTLP/HTTP. */
final class HttpServer {

  /** A busy machine may take some seconds; a full heap may kill the loop's thread. */
  private static final long START_MILLIS = 15_000;

  private static final long CLOSE_MILLIS = 1000;

  private static final int MAX_HEADER_BYTES = 16 << 10;

  private final Connections connections;

  private HttpServer(Connections connections) {
    this.connections = connections;
  }

  /** Serves connections to a socket, which already listens. */
  static HttpServer open(
      ServerSocketChannel socket,
      Transport transport,
      HttpEndpoint endpoint,
      RequestWriter writer,
      CollectorSettings.Limits limits,
      @Nullable SslContext tls)
      throws IOException {
    // As many connections may be idle as are served at once.
    Connections connections = new Connections(socket, writer, 2 * limits.maxConnections(), true);
    HttpDecoderConfig decoding =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_HEADER_BYTES)
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxChunkSize(Transport.MAX_READ_BYTES);
    ServerBootstrap server =
        new ServerBootstrap()
            .group(transport.loops())
            .channelFactory(() -> connections)
            .childOption(ChannelOption.ALLOCATOR, transport.buffers())
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, transport.reads())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel connection) {
                    if (tls != null) {
                      connection.pipeline().addLast(tls.newHandler(connection.alloc()));
                    }
                    connection
                        .pipeline()
                        .addLast(
                            new HttpRequestDecoder(decoding),
                            new HttpResponseEncoder(),
                            new FlowControlHandler(),
                            new HttpHandler(endpoint, writer, limits));
                  }
                });
    ChannelFuture started = server.register();
    if (!started.awaitUninterruptibly(START_MILLIS)) {
      throw new IOException("HTTP is not served after " + START_MILLIS + " ms");
    }
    Throwable failure = started.cause();
    if (failure != null) {
      throw new IOException("HTTP cannot be served: " + failure.getMessage(), failure);
    }
    return new HttpServer(connections);
  }

  /** Accepts no more connections and closes the open ones. */
  void close() {
    connections.end(CLOSE_MILLIS);
  }
}
