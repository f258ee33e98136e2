package io.rollotel.traces.collector;

import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.InputStream;

/** Sends a large answer in pieces, because the transport copies each piece. */
final class AnswerPieces implements ChannelProgressiveFutureListener {

  /** The size of a piece; smaller answers are sent whole. */
  static final int BYTES = 64 << 10;

  private final Runnable onPiece;

  private AnswerPieces(Runnable onPiece) {
    this.onPiece = onPiece;
  }

  /**
   * Sends it.
   *
   * @param onPiece runs each time that a piece is sent
   */
  static ChannelFuture send(
      ChannelHandlerContext context, FullHttpResponse answer, Runnable onPiece) {
    if (context.pipeline().get(ChunkedWriteHandler.class) == null) {
      context.pipeline().addBefore(context.name(), null, new ChunkedWriteHandler());
    }
    ChannelFuture unused =
        context.write(
            new DefaultHttpResponse(answer.protocolVersion(), answer.status(), answer.headers()));
    InputStream content = new ByteBufInputStream(answer.content(), true);
    ChannelProgressivePromise sent = context.newProgressivePromise();
    sent.addListener(new AnswerPieces(onPiece));
    return context.writeAndFlush(new HttpChunkedInput(new ChunkedStream(content, BYTES)), sent);
  }

  @Override
  public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
    onPiece.run();
  }

  @Override
  public void operationComplete(ChannelProgressiveFuture future) {
    // Who sends the answer has a listener of its own.
  }
}
