package io.rollotel.traces.collector;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.Date;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection of OTLP/HTTP: receives, writes and answers one request after the other. Everything
 * runs on its event loop, as with gRPC.
 */
final class HttpHandler extends SimpleChannelInboundHandler<HttpObject> {

  /** How long a request of known size waits for room before it is refused. */
  private static final long ROOM_MILLIS = 2000;

  /** How long the first line and the headers of a connection's first request may take. */
  private static final long HEAD_MILLIS = 5000;

  private static final long IDLE_MILLIS = TimeUnit.MINUTES.toMillis(2);

  /**
   * How much of a refused request's body is read, and for how long, so that its sender can read the
   * answer: a connection that is closed with unread bytes is reset.
   */
  private static final int MAX_DRAINED_BYTES = 8 << 20;

  private static final long DRAIN_MILLIS = 5000;

  private final HttpEndpoint endpoint;
  private final RequestWriter writer;
  private final CollectorSettings.Limits limits;

  private @Nullable Future<?> deadline;

  // The state of the current request.
  private @Nullable HttpRequest request;
  private HttpEndpoint.@Nullable Export export;
  private @Nullable CompletableFuture<MemoryBudget.Reservation> admission;
  private MemoryBudget.@Nullable Reservation room;
  private @Nullable RequestBody body;
  private long receivedBytes;
  private boolean isAllThere;
  private boolean isAnswered;
  private boolean isSent;
  private boolean isDraining;

  /** Whether the connection ends with it. */
  private boolean isLast;

  HttpHandler(HttpEndpoint endpoint, RequestWriter writer, CollectorSettings.Limits limits) {
    this.endpoint = endpoint;
    this.writer = writer;
    this.limits = limits;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    within(HEAD_MILLIS, context, () -> close(context));
    context.fireChannelActive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
    try {
      if (message instanceof HttpRequest head) {
        begin(context, head);
      }
      if (message instanceof HttpContent piece) {
        receive(context, piece);
      }
    } catch (Refusal refusal) {
      refuse(context, refusal);
    } catch (RuntimeException | Error e) {
      refuse(context, new Refusal(Refusal.Reason.INTERNAL, "internal error: " + e));
    }
  }

  private void begin(ChannelHandlerContext context, HttpRequest head) throws Refusal {
    request = head;
    receivedBytes = 0;
    isAllThere = false;
    isAnswered = false;
    isSent = false;
    isDraining = false;
    isLast = !HttpUtil.isKeepAlive(head) || head.decoderResult().isFailure();
    within(limits.requestTimeoutMillis(), context, () -> stalled(context));
    RequestHead known = RequestHead.of(head, sender(context).getAddress());
    FullHttpResponse answer = endpoint.answer(known);
    if (answer != null) {
      answer(context, answer);
    } else {
      admit(context, endpoint.export(known));
    }
  }

  /** Continues to read once there is room for the whole request. */
  private void admit(ChannelHandlerContext context, HttpEndpoint.Export wanted) {
    export = wanted;
    CompletableFuture<MemoryBudget.Reservation> asked =
        writer.budget().reserve(wanted.inMemory(wanted.bytes()));
    if (asked.isDone()) {
      CompletableFuture<?> unused =
          asked.whenComplete((reserved, refusal) -> admitted(context, reserved, refusal));
      return;
    }
    admission = asked;
    Connections.use(context.channel(), Connections.Use.SERVED);
    context.channel().config().setAutoRead(false);
    Future<?> patience =
        context
            .executor()
            .schedule(
                () -> asked.completeExceptionally(writer.budget().refusal()),
                ROOM_MILLIS,
                TimeUnit.MILLISECONDS);
    CompletableFuture<?> unused =
        asked.whenComplete(
            (reserved, refusal) ->
                context
                    .executor()
                    .execute(
                        () -> {
                          patience.cancel(false);
                          admitted(context, reserved, refusal);
                          readOn(context);
                        }));
  }

  private void admitted(
      ChannelHandlerContext context,
      MemoryBudget.@Nullable Reservation reserved,
      @Nullable Throwable refusal) {
    admission = null;
    HttpRequest admitted = request;
    if (reserved == null) {
      refuse(context, refusal instanceof Refusal known ? known : writer.budget().refusal());
    } else if (admitted == null) { // its connection was closed meanwhile
      reserved.close();
    } else {
      room = reserved;
      body = new RequestBody(context.alloc());
      Connections.use(context.channel(), Connections.Use.HALF);
      if (HttpUtil.is100ContinueExpected(admitted)) {
        ChannelFuture unused =
            context.writeAndFlush(
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
      }
    }
  }

  private void receive(ChannelHandlerContext context, HttpContent piece) throws Refusal {
    receivedBytes += piece.content().readableBytes();
    boolean isBroken = piece.decoderResult().isFailure();
    isLast |= isBroken;
    isAllThere = piece instanceof LastHttpContent && !isBroken;
    if (isAnswered) {
      if (receivedBytes > MAX_DRAINED_BYTES) {
        close(context);
      } else {
        goOn(context);
      }
    } else if (isBroken) {
      throw new Refusal(Refusal.Reason.MALFORMED, "malformed HTTP: a chunk is not well formed");
    } else if (body != null && room != null && export != null) {
      keep(context, piece, body, room, export);
      if (isAllThere) {
        write(context, body, export);
      }
    }
  }

  private void keep(
      ChannelHandlerContext context,
      HttpContent piece,
      RequestBody body,
      MemoryBudget.Reservation room,
      HttpEndpoint.Export export)
      throws Refusal {
    if (receivedBytes > limits.maxRequestBytes()) {
      throw writer.tooLarge();
    }
    if (!room.add(export.inMemory(piece.content().readableBytes()))) {
      throw writer.budget().refusal();
    }
    body.add(piece.content());
    Connections.use(context.channel(), isAllThere ? Connections.Use.SERVED : Connections.Use.HALF);
  }

  private void write(ChannelHandlerContext context, RequestBody body, HttpEndpoint.Export export)
      throws Refusal {
    writer.write(export.signal(), export.isJson(), body.stream(), export.isGzip());
    writer.counts().accept();
    answer(context, HttpEndpoint.success(export.isJson()));
  }

  private void refuse(ChannelHandlerContext context, Refusal refusal) {
    HttpRequest refused = request;
    if (refused == null) { // its connection was closed meanwhile
      return;
    }
    if (isAnswered) {
      close(context);
      return;
    }
    writer.refused(refusal, sender(context).toString());
    boolean isUnsure = HttpUtil.is100ContinueExpected(refused) && body == null;
    isLast |=
        isUnsure // whether the body is sent nevertheless
            || (refused.decoderResult().isSuccess()
                && HttpUtil.getContentLength(refused, 0L) > MAX_DRAINED_BYTES)
            || refusal.reason() == Refusal.Reason.STOPPING;
    answer(context, HttpEndpoint.refused(refusal, refused));
  }

  private void stalled(ChannelHandlerContext context) {
    if (!isAnswered) {
      writer.refused(
          new Refusal(Refusal.Reason.STALLED, "the request was not complete in time"),
          sender(context).toString());
    }
    close(context);
  }

  private void answer(ChannelHandlerContext context, FullHttpResponse answer) {
    HttpRequest answered = Objects.requireNonNull(request);
    isAnswered = true;
    if (body != null) {
      body.close();
      body = null;
    }
    answer.headers().set(HttpHeaderNames.DATE, date());
    if (!answer.status().equals(HttpResponseStatus.NO_CONTENT)) {
      HttpUtil.setContentLength(answer, answer.content().readableBytes());
    }
    HttpUtil.setKeepAlive(answer.headers(), answered.protocolVersion(), !isLast);
    ChannelFuture sent = send(context, answer, answered.method().equals(HttpMethod.HEAD));
    if (!sent.isDone()) {
      // A client that does not read its answers must not cause more of them.
      context.channel().config().setAutoRead(false);
      within(limits.requestTimeoutMillis(), context, () -> close(context));
    }
    // Until then, closing the budget waits for it.
    MemoryBudget.Reservation held = room;
    room = null;
    sent.addListener(
        done -> {
          if (held != null) {
            held.close();
          }
          isSent = true;
          if (done.isSuccess()) {
            goOn(context);
            readOn(context);
          } else {
            close(context);
          }
        });
  }

  private ChannelFuture send(
      ChannelHandlerContext context, FullHttpResponse answer, boolean isOfHead) {
    if (isOfHead) {
      return context.writeAndFlush(answer.replace(Unpooled.EMPTY_BUFFER));
    }
    if (answer.content().readableBytes() <= AnswerPieces.BYTES) {
      return context.writeAndFlush(answer);
    }
    // The longest wait is for a piece, because a large answer on a slow line may take minutes.
    return AnswerPieces.send(
        context,
        answer,
        () -> within(limits.requestTimeoutMillis(), context, () -> close(context)));
  }

  @SuppressWarnings("JavaUtilDate") // java.time would write the day of the month with one digit
  private static String date() {
    return DateFormatter.format(new Date());
  }

  /** Up to the next request, or up to the pending end of this one. */
  private void goOn(ChannelHandlerContext context) {
    if (!isSent) {
      return;
    }
    if (!isAllThere) {
      if (isLast) {
        endOutput(context);
      }
      if (!isDraining) {
        isDraining = true;
        Connections.use(context.channel(), Connections.Use.UNKNOWN);
        within(DRAIN_MILLIS, context, () -> close(context));
      }
    } else if (isLast) {
      close(context);
    } else {
      request = null;
      Connections.use(context.channel(), Connections.Use.IDLE);
      within(IDLE_MILLIS, context, () -> close(context));
    }
  }

  private static void endOutput(ChannelHandlerContext context) {
    SslHandler tls = context.pipeline().get(SslHandler.class);
    if (tls != null) {
      ChannelFuture unused = tls.closeOutbound();
    } else if (context.channel() instanceof SocketChannel socket) {
      ChannelFuture unused = socket.shutdownOutput();
    }
  }

  private void readOn(ChannelHandlerContext context) {
    if (admission == null && (!isAnswered || isSent)) {
      context.channel().config().setAutoRead(true);
    }
  }

  /** What happens at the deadline. */
  private void within(long millis, ChannelHandlerContext context, Runnable end) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    deadline = context.executor().schedule(end, millis, TimeUnit.MILLISECONDS);
  }

  private static void close(ChannelHandlerContext context) {
    ChannelFuture unused = context.close();
  }

  private static InetSocketAddress sender(ChannelHandlerContext context) {
    return (InetSocketAddress) context.channel().remoteAddress();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    request = null;
    if (deadline != null) {
      deadline.cancel(false);
    }
    if (body != null) {
      body.close();
      body = null;
    }
    if (room != null) {
      room.close();
      room = null;
    }
    if (admission != null) {
      admission.completeExceptionally(writer.budget().refusal());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    close(context); // it was reset, or it is not HTTP
  }
}
