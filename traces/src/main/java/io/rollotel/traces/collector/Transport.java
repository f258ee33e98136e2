package io.rollotel.traces.collector;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The basis of both servers: Netty's NIO transport, with two event loops and one pool of buffers.
 */
final class Transport {

  /** How many connections may wait to be accepted: all of a run's workers start at once. */
  static final int BACKLOG = 512;

  /** The size of a buffer for reading. */
  static final int MAX_READ_BYTES = 16 << 10;

  private static final int MIN_READ_BYTES = 1 << 10;
  private static final int LOOPS = 2;
  private static final int PAGE_BYTES = 8 << 10;
  private static final int CHUNK_ORDER = 9; // 4 MiB

  private final EventLoopGroup loops;
  private final ByteBufAllocator buffers;

  Transport(ThreadFactory threads) {
    // Netty's leak detection, which watches one buffer in 128, is for developers.
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    loops = new Loops(threads);
    // One arena for the buffers of all connections. Its chunks are large enough that the C library
    // returns them to the system as soon as they are free. With Netty's defaults, which have arenas
    // and caches per thread, buffers took twice the memory.
    buffers = new PooledByteBufAllocator(true, 0, 1, PAGE_BYTES, CHUNK_ORDER, 0, 0, false);
  }

  EventLoopGroup loops() {
    return loops;
  }

  ByteBufAllocator buffers() {
    return buffers;
  }

  RecvByteBufAllocator reads() {
    return new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, MIN_READ_BYTES, MAX_READ_BYTES);
  }

  /** Ends the loops' threads, for which it does not wait. */
  void close() {
    Future<?> unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /**
   * Event loops whose termination is not announced: Netty would announce it on a thread that keeps
   * the JVM alive for a second.
   */
  private static final class Loops extends MultiThreadIoEventLoopGroup {

    Loops(ThreadFactory threads) {
      super(LOOPS, threads, NioIoHandler.newFactory());
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... none) {
      return new SingleThreadIoEventLoop(this, executor, handlers) {

        private final Future<Void> never = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);

        @Override
        public Future<?> terminationFuture() {
          return never;
        }
      };
    }
  }
}
