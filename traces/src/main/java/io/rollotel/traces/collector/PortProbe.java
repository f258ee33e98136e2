package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which protocol a port speaks, by a request without data: HTTP/2's connection preface,
 * which every server of gRPC answers by its settings, or {@code OPTIONS *}, which every server of
 * HTTP/1.1 answers by a status.
 */
public final class PortProbe {

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(US_ASCII);

  private static final int FRAME_HEAD_BYTES = 9;
  private static final int SETTINGS = 4;
  private static final byte[] STATUS_LINE = "HTTP/1.".getBytes(US_ASCII);
  private static final int STATUS_BYTES = 3;

  private final URI endpoint;
  private final @Nullable SSLContext tls;
  private final Executor threads;
  private final long patienceNanos;

  /**
   * A probe, which connects on demand.
   *
   * @param endpoint with https, the probe runs inside TLS, where only this protocol is offered
   * @param tls trusted certificates and the own one; null for the JVM's defaults
   * @param threads the threads, one of which waits during the probe
   * @param patienceNanos the longest wait for each answer
   */
  public PortProbe(URI endpoint, @Nullable SSLContext tls, Executor threads, long patienceNanos) {
    this.endpoint = endpoint;
    this.tls = tls;
    this.threads = threads;
    this.patienceNanos = patienceNanos;
  }

  /**
   * Statuses with which a server that speaks only HTTP/2 may answer HTTP/1.1. HTTP servers use them
   * as well.
   */
  public static final Set<Integer> FOREIGN_STATUS = Set.of(400, 426, 505);

  /**
   * The port's protocol; empty if no answer shows it. A {@link #FOREIGN_STATUS} shows HTTP only if
   * the port does not speak gRPC.
   *
   * @param first the protocol to try first: it wins if the port speaks both
   */
  public Optional<OtlpProtocol> spoken(OtlpProtocol first) {
    boolean isHttp = false;
    for (OtlpProtocol protocol : List.of(first, first.other())) {
      Answer answer = ask(protocol);
      if (answer.isClear && !answer.isForeignStatus()) {
        return Optional.of(protocol);
      }
      isHttp |= answer.isClear;
    }
    return isHttp ? Optional.of(OtlpProtocol.HTTP) : Optional.empty();
  }

  /** Whether its answer shows that it speaks this protocol; a missing answer shows nothing. */
  public boolean speaks(OtlpProtocol protocol) {
    return ask(protocol).isClear;
  }

  private Answer ask(OtlpProtocol protocol) {
    HostPort where = HostPort.of(endpoint);
    Answer answer = new Answer(protocol, question(protocol, where));
    EventLoop loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
    try {
      long deadlineNanos = System.nanoTime() + patienceNanos;
      for (InetAddress address : where.addresses()) {
        connect(new InetSocketAddress(address, where.port()), protocol, answer, loop);
        if (answer.await(deadlineNanos)) {
          break;
        }
      }
    } catch (IOException | RuntimeException e) {
      // No such host, or no TLS in this JVM: nothing is shown.
    } finally {
      Future<?> unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    return answer;
  }

  private static byte[] question(OtlpProtocol protocol, HostPort where) {
    return protocol == OtlpProtocol.GRPC
        ? PREFACE
        : ("OPTIONS * HTTP/1.1\r\nHost: "
                + where.host()
                + ":"
                + where.port()
                + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .getBytes(US_ASCII);
  }

  private void connect(
      InetSocketAddress address, OtlpProtocol protocol, Answer answer, EventLoop loop) {
    boolean isEncrypted = "https".equals(endpoint.getScheme());
    SslContext encryption =
        isEncrypted
            ? GrpcClient.encryption(
                tls,
                protocol == OtlpProtocol.GRPC
                    ? ApplicationProtocolNames.HTTP_2
                    : ApplicationProtocolNames.HTTP_1_1)
            : null;
    answer.isAsked = false;
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            (int) TimeUnit.NANOSECONDS.toMillis(patienceNanos))
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                if (encryption != null) {
                  channel
                      .pipeline()
                      .addLast(
                          encryption.newHandler(
                              channel.alloc(), address.getHostString(), address.getPort()));
                }
                channel.pipeline().addLast(new Asking(answer, encryption != null));
              }
            })
        .connect(address)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                answer.over();
              }
            });
  }

  /** The answer so far, and whether it is sufficient. */
  private static final class Answer {

    private final OtlpProtocol protocol;
    private final byte[] question;
    private final byte[] start;
    private int bytes;

    private volatile CountDownLatch waiting = new CountDownLatch(1);
    private volatile boolean isAsked;
    private volatile boolean isClear;

    Answer(OtlpProtocol protocol, byte[] question) {
      this.protocol = protocol;
      this.question = question;
      start =
          new byte
              [protocol == OtlpProtocol.GRPC
                  ? FRAME_HEAD_BYTES
                  : STATUS_LINE.length + 2 + STATUS_BYTES];
    }

    void add(ByteBuf received) {
      int more = Math.min(received.readableBytes(), start.length - bytes);
      received.readBytes(start, bytes, more);
      bytes += more;
      if (isWhole()) {
        isClear = protocol == OtlpProtocol.GRPC ? isSettings() : isStatus();
        over();
      }
    }

    boolean isWhole() {
      return bytes == start.length;
    }

    /** The header of a SETTINGS frame: length, type, flags, and stream 0. */
    private boolean isSettings() {
      boolean isOfConnection = (start[5] | start[6] | start[7] | start[8]) == 0;
      return start[0] == 0 && start[3] == SETTINGS && start[4] == 0 && isOfConnection;
    }

    private boolean isStatus() {
      return Arrays.equals(Arrays.copyOf(start, STATUS_LINE.length), STATUS_LINE);
    }

    /** After the status line's version: a digit, a blank, the status. */
    boolean isForeignStatus() {
      int status = STATUS_LINE.length + 2;
      return protocol == OtlpProtocol.HTTP
          && isClear
          && FOREIGN_STATUS.stream()
              .anyMatch(
                  foreign ->
                      new String(start, status, STATUS_BYTES, US_ASCII)
                          .equals(Integer.toString(foreign)));
    }

    void over() {
      waiting.countDown();
    }

    /** Whether a server answered; otherwise another address may be tried. */
    boolean await(long deadlineNanos) {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            if (!waiting.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
              return true; // and no time is left
            }
            waiting = new CountDownLatch(1);
            return isAsked;
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
  }

  /** Sends the probe as soon as it is connected. */
  private static final class Asking extends ChannelInboundHandlerAdapter {

    private final Answer answer;
    private final boolean isEncrypted;

    Asking(Answer answer, boolean isEncrypted) {
      this.answer = answer;
      this.isEncrypted = isEncrypted;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      answer.isAsked = true;
      if (!isEncrypted) {
        ask(context);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          ask(context);
        } else {
          Future<?> unused = context.close();
        }
      }
    }

    private void ask(ChannelHandlerContext context) {
      Future<?> unused = context.writeAndFlush(Unpooled.wrappedBuffer(answer.question));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        answer.add((ByteBuf) message);
      } finally {
        ReferenceCountUtil.release(message);
      }
      if (answer.isWhole()) {
        Future<?> unused = context.close();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      answer.over();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      Future<?> unused = context.close();
    }
  }
}
