package io.rollotel.traces.collector;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A socket for OTLP. It listens at once; the system queues connections until there is a server. */
final class ListeningSocket implements Closeable {

  private static final long PAUSE_MILLIS = 1000;

  private final InetSocketAddress address;
  private volatile ServerSocketChannel channel;
  private volatile boolean isClosed;

  /**
   * The selector on which a thread waits for a connection. Guarded by this, because a closed one
   * must not be woken.
   */
  private @Nullable Selector waiting;

  private ListeningSocket(InetSocketAddress address, ServerSocketChannel channel) {
    this.address = address;
    this.channel = channel;
  }

  static ListeningSocket listen(InetSocketAddress address) throws IOException {
    ServerSocketChannel channel = open(address);
    return new ListeningSocket((InetSocketAddress) channel.getLocalAddress(), channel);
  }

  private static ServerSocketChannel open(InetSocketAddress address) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.bind(address, Transport.BACKLOG);
      channel.configureBlocking(false);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw new CannotListenException(address, e);
    }
  }

  InetSocketAddress address() {
    return address;
  }

  /** Passes the socket to a server; one that cannot start closes it. */
  ServerSocketChannel channel() {
    return channel;
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Starts a server. */
  @FunctionalInterface
  interface Start {
    void run() throws IOException;
  }

  /**
   * Starts the server on a separate thread when the first connection arrives. A failed start is
   * repeated, because the reason is nearly always a lack of memory, which may pass.
   */
  void startWhenAsked(ThreadFactory threads, Start start, Consumer<String> log) {
    threads.newThread(() -> startWhenAsked(start, log)).start();
  }

  private void startWhenAsked(Start start, Consumer<String> log) {
    boolean isLogged = false;
    while (!isClosed) {
      try {
        listenAgain();
        awaitConnection();
        if (!isClosed) {
          start.run();
        }
        return;
      } catch (IOException | RuntimeException | Error e) {
        if (!isLogged && !isClosed) {
          isLogged = true;
          log.accept("the collector cannot serve yet and will retry: " + e);
        }
        pause();
      }
    }
  }

  /** A server that could not start has closed the socket. */
  private synchronized void listenAgain() throws IOException {
    if (!isClosed && !channel.isOpen()) {
      channel = open(address);
    }
  }

  private void awaitConnection() throws IOException {
    try (Selector selector = Selector.open()) {
      channel.register(selector, SelectionKey.OP_ACCEPT);
      waitAt(selector);
      try {
        if (!isClosed) {
          selector.select();
        }
      } finally {
        waitAt(null);
      }
    }
  }

  private synchronized void waitAt(@Nullable Selector selector) {
    waiting = selector;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      // Nobody interrupts this thread.
    }
  }

  /** Listens no more. */
  @Override
  public synchronized void close() {
    isClosed = true;
    try {
      channel.close();
      if (waiting != null) {
        waiting.wakeup(); // closing a channel does not end a wait for it
      }
    } catch (IOException e) {
      // It is no longer needed.
    }
  }
}
