package io.rollotel.traces.collector;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * A connection on which no wait exceeds its deadline, neither for room to write nor for bytes. An
 * interrupt does not end a wait and stays set. {@link #close} may be called by any thread and ends
 * a wait.
 */
final class HttpConnection implements Closeable {

  /** The size of one write: the JDK copies all of it into memory outside the heap. */
  private static final int PART_BYTES = 64 << 10;

  private static final int FIRST_DIGIT_OF_STATUS = "HTTP/1.1 ".length();

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;

  /** The head, and the part of the body that is sent with it. */
  private final ByteBuffer first = ByteBuffer.allocate(16 << 10);

  private final ByteBuffer received = ByteBuffer.allocate(4 << 10).limit(0);
  private boolean hasAnswered;

  HttpConnection() throws IOException {
    channel = SocketChannel.open();
    Selector opened = null;
    boolean isReady = false;
    try {
      channel.configureBlocking(false);
      opened = Selector.open();
      selector = opened;
      key = channel.register(selector, 0);
      isReady = true;
    } finally {
      if (!isReady) {
        if (opened != null) {
          opened.close();
        }
        channel.close();
      }
    }
  }

  void connect(InetSocketAddress address, long deadlineNanos) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    boolean isConnected = channel.connect(address);
    while (!isConnected) {
      await(SelectionKey.OP_CONNECT, deadlineNanos);
      isConnected = channel.finishConnect();
    }
  }

  /** Whether a kept connection still seems to be open: a closed one has something to read. */
  boolean isOpen() {
    try {
      return !received.hasRemaining() && receive() == 0;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /**
   * Sends a request.
   *
   * @return false if the server answers before it has taken all of it
   */
  boolean send(byte[] head, byte[] body, long deadlineNanos) throws IOException {
    hasAnswered = false;
    first.clear();
    if (head.length > first.capacity()) {
      if (!send(ByteBuffer.wrap(head), deadlineNanos)) {
        return false;
      }
    } else {
      first.put(head);
    }
    int withHead = Math.min(body.length, first.remaining());
    first.put(body, 0, withHead).flip();
    if (!send(first, deadlineNanos)) {
      return false;
    }
    for (int from = withHead; from < body.length; from += PART_BYTES) {
      int bytes = Math.min(PART_BYTES, body.length - from);
      if (!send(ByteBuffer.wrap(body, from, bytes), deadlineNanos)) {
        return false;
      }
    }
    return true;
  }

  private boolean send(ByteBuffer part, long deadlineNanos) throws IOException {
    while (true) {
      try {
        channel.write(part);
      } catch (IOException e) {
        if (hasAnswer()) {
          return false; // a refusal; the server has closed the connection
        }
        throw e;
      }
      if (!part.hasRemaining()) {
        return true;
      }
      await(SelectionKey.OP_WRITE | SelectionKey.OP_READ, deadlineNanos);
      try {
        if (key.isReadable() && hasAnswer()) {
          return false;
        }
      } catch (CancelledKeyException closedMeanwhile) {
        throw new ClosedChannelException();
      }
    }
  }

  /** Whether an answer has begun that is not one of the preliminary ones, 1xx. */
  private boolean hasAnswer() {
    try {
      if (receive() < 0) {
        return true; // or none will ever come; the reader finds out
      }
    } catch (IOException e) {
      return false;
    }
    return received.remaining() > FIRST_DIGIT_OF_STATUS
        && received.get(received.position() + FIRST_DIGIT_OF_STATUS) != '1';
  }

  /** Whether any byte came since the last request began. */
  boolean hasAnswered() {
    return hasAnswered;
  }

  /**
   * The next byte of the answer.
   *
   * @throws EOFException if the server has closed the connection
   */
  int next(long deadlineNanos) throws IOException {
    while (!received.hasRemaining()) {
      await(SelectionKey.OP_READ, deadlineNanos);
      if (receive() < 0) {
        throw new EOFException("the connection was closed before the end of an answer");
      }
    }
    return received.get() & 0xff;
  }

  private int receive() throws IOException {
    received.compact();
    try {
      int bytes = channel.read(received);
      hasAnswered |= bytes > 0;
      return bytes;
    } finally {
      received.flip();
    }
  }

  private void await(int operations, long deadlineNanos) throws IOException {
    boolean interrupted = false;
    try {
      if (key.interestOps() != operations) {
        key.interestOps(operations);
      }
      while (true) {
        long leftNanos = deadlineNanos - System.nanoTime();
        if (leftNanos <= 0) {
          throw new SocketTimeoutException("no answer in time");
        }
        // One millisecond more than is left, because a wait of 0 would never end.
        if (selector.select(TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1) > 0) {
          selector.selectedKeys().clear();
          return;
        }
        if (!selector.isOpen() || !channel.isOpen()) {
          throw new ClosedChannelException();
        }
        interrupted |= Thread.interrupted(); // otherwise the wait would spin
      }
    } catch (ClosedSelectorException | CancelledKeyException closedMeanwhile) {
      throw new ClosedChannelException();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // The connection was no longer usable.
    }
    try {
      selector.close();
    } catch (IOException e) {
      // Nor was this.
    }
  }
}
