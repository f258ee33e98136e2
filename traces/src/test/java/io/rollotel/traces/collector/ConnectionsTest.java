package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.rollotel.traces.file.FileRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
class ConnectionsTest {

  private static final int PATIENCE_MILLIS = 1000;
  private static final int ANSWER_MILLIS = 60_000;

  @TempDir Path dir;
  private final List<Socket> clients = new ArrayList<>();

  @AfterEach
  void closeClients() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
  }

  /** The memory is missing where the first connection too many is to be logged. */
  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noMemoryWhileAccepting_othersAreAcceptedAfterwards(boolean isGrpc) throws Exception {
    CountDownLatch isMissing = new CountDownLatch(1);
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            0,
            0,
            null,
            new CollectorSettings.Limits(100_000, 150_000, 1, 8, ANSWER_MILLIS),
            FileRules.DEFAULT,
            new CollectorSettings.Page(false, null));
    try (EmbeddedCollector collector =
        EmbeddedCollector.start(
            dir.toFile(),
            "",
            settings,
            line -> {
              isMissing.countDown();
              throw new OutOfMemoryError("of the test");
            })) {
      int port = isGrpc ? collector.grpcPort() : collector.endpoint().getPort();
      for (int i = 0; i < 3; i++) {
        connect(port);
      }
      isMissing.await();
      closeClients();
      int answer = -1;
      while (answer < 0) { // until the server knows that the earlier ones are closed
        answer = answer(connect(port));
      }
    }
  }

  @Test
  void connectionsThatDoNotClose_areWaitedForTogether() throws Exception {
    int count = 6;
    CountDownLatch isOpen = new CountDownLatch(count);
    CountDownLatch isToldToClose = new CountDownLatch(count);
    RequestWriter writer =
        RequestWriter.open(dir.toFile(), "", CollectorSettings.ofDriver(), line -> {});
    Transport transport = new Transport(new DaemonThreads("test"));
    try {
      ServerSocketChannel socket = ServerSocketChannel.open();
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      socket.configureBlocking(false);
      Connections connections = new Connections(socket, writer, count, false);
      new ServerBootstrap()
          .group(transport.loops())
          .channelFactory(() -> connections)
          .childHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel connection) {
                  connection.pipeline().addLast(new Open(isToldToClose));
                  isOpen.countDown();
                }
              })
          .register()
          .sync();
      for (int i = 0; i < count; i++) {
        connect(connections.localAddress().getPort());
      }
      isOpen.await();
      long beganNanos = System.nanoTime();
      connections.end(PATIENCE_MILLIS);
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
      assertThat(tookMillis).isBetween(PATIENCE_MILLIS / 2L, (count - 1L) * PATIENCE_MILLIS);
      isToldToClose.await();
    } finally {
      transport.close();
      writer.close();
    }
  }

  /** The first byte of what is answered; below 0 where the connection is closed instead. */
  private static int answer(Socket client) throws IOException {
    try (client) {
      client.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      return client.getInputStream().read();
    } catch (SocketException reset) {
      return -1;
    }
  }

  private Socket connect(int port) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.setSoTimeout(ANSWER_MILLIS);
    clients.add(client);
    return client;
  }

  /** Stays open, like a connection whose other side does not read. */
  private static final class Open extends ChannelOutboundHandlerAdapter {

    private final CountDownLatch isToldToClose;

    Open(CountDownLatch isToldToClose) {
      this.isToldToClose = isToldToClose;
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise closed) {
      isToldToClose.countDown();
    }
  }
}
