package io.rollotel.traces.collector;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Accepts a server's connections, up to a limit. Beyond it, an idle connection gives way to a new
 * one: the least useful one, from the address with the most of these, the oldest first. So a client
 * that opens connections and leaves them half used shuts out only itself.
 */
final class Connections extends NioServerSocketChannel {

  /** The states of a connection, in the order in which connections give way. */
  enum Use {
    /** Idle between two requests. A client may be about to send another. */
    IDLE(200),
    /** Has not shown that it may send anything: the head of its first request has not arrived. */
    UNKNOWN(1000),
    /** Is in the middle of a request that it may send. */
    HALF(5000),
    /** Is being served. */
    SERVED(Long.MAX_VALUE);

    private final long leastMillis;

    Use(long leastMillis) {
      this.leastMillis = leastMillis;
    }
  }

  private static final long LOOK_MILLIS = 10;
  private static final long REST_MILLIS = 1000;

  /** Made beforehand. */
  private final Refusal noMemory =
      new Refusal(Refusal.Reason.CONNECTION, "cannot accept a connection: no memory is left");

  private final RequestWriter writer;
  private final int maxConnections;
  private final boolean mayWait;
  private final Map<Channel, Peer> open = new ConcurrentHashMap<>();

  /**
   * A server's socket, which already listens.
   *
   * @param mayWait whether connections beyond the number wait to be accepted; otherwise they are
   *     closed
   */
  Connections(
      ServerSocketChannel socket, RequestWriter writer, int maxConnections, boolean mayWait) {
    super(socket);
    this.writer = writer;
    this.maxConnections = maxConnections;
    this.mayWait = mayWait;
  }

  /** It is already bound, but grpc-java calls bind nevertheless. */
  @Override
  protected void doBind(SocketAddress address) {}

  /** One of them. Safe for use by several threads. */
  private static final class Peer {

    final Channel connection;
    final InetSocketAddress address;
    private volatile Use use = Use.UNKNOWN;
    private volatile long sinceNanos = System.nanoTime();

    Peer(SocketChannel connection) {
      this.connection = connection;
      this.address = connection.remoteAddress();
    }

    boolean mayGiveWay(Use use, long nowNanos) {
      return TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos) >= use.leastMillis;
    }
  }

  /** Sets the state of a connection. */
  static void use(Channel connection, Use use) {
    Peer peer = ((Connections) connection.parent()).open.get(connection);
    if (peer != null) { // or it has already given way
      peer.sinceNanos = System.nanoTime();
      peer.use = use;
    }
  }

  /** The same for the connection from this address. */
  void use(@Nullable Object address, Use use) {
    for (Peer peer : open.values()) {
      if (peer.address.equals(address)) {
        use(peer.connection, use);
      }
    }
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    int before = accepted.size();
    try {
      return accept(accepted);
    } catch (OutOfMemoryError e) {
      // Netty would silently close the server's socket because of it.
      rest(accepted, before);
      return 0;
    }
  }

  private int accept(List<Object> accepted) throws Exception {
    int count;
    try {
      count = super.doReadMessages(accepted);
    } catch (IOException e) {
      if (!isOpen()) {
        throw e;
      }
      // No file descriptor is left. The connection stays ready, so the loop would spin.
      refused("cannot accept a connection: " + e.getMessage(), "somebody");
      makeRoom();
      pause(REST_MILLIS);
      return 0;
    }
    if (count <= 0) {
      return count;
    }
    SocketChannel connection = (SocketChannel) accepted.get(accepted.size() - 1);
    if (open.size() >= maxConnections && !makeRoom() && !mayWait) {
      InetSocketAddress sender = connection.remoteAddress();
      accepted.remove(accepted.size() - 1);
      // Counted first, because its sender may read the count as soon as the connection is closed.
      refused("more than " + maxConnections + " connections at once", sender);
      connection.unsafe().closeForcibly();
      return 0;
    }
    open.put(connection, new Peer(connection));
    connection.closeFuture().addListener(closed -> open.remove(connection));
    if (open.size() > maxConnections) {
      pause(LOOK_MILLIS);
    }
    return count;
  }

  /**
   * Closes the connection just accepted, and accepts none for a while, since there is no memory.
   */
  private void rest(List<Object> accepted, int before) {
    pause(REST_MILLIS);
    try {
      if (accepted.size() > before) {
        SocketChannel connection = (SocketChannel) accepted.remove(before);
        open.remove(connection);
        connection.unsafe().closeForcibly();
      }
      writer.refused(noMemory, "somebody");
    } catch (OutOfMemoryError e) {
      // There is no memory to report it either.
    }
  }

  /** Leaves connections to the system's queue for a while, and as long as there is no room. */
  private void pause(long millis) {
    try {
      Future<?> unused = eventLoop().schedule(this::goOn, millis, TimeUnit.MILLISECONDS);
      config().setAutoRead(false);
    } catch (OutOfMemoryError e) {
      config().setAutoRead(true); // nothing else would: the next check of the socket tries again
    }
  }

  private void goOn() {
    boolean hasRoom;
    try {
      hasRoom = open.size() <= maxConnections || makeRoom();
    } catch (OutOfMemoryError e) {
      hasRoom = false; // looked for again
    }
    if (hasRoom) {
      config().setAutoRead(true);
    } else {
      pause(LOOK_MILLIS);
    }
  }

  /** Closes a connection that may give way; false if there is none. */
  private boolean makeRoom() {
    long nowNanos = System.nanoTime();
    Use least = Use.SERVED;
    Map<InetAddress, List<Peer>> ofLeast = new HashMap<>();
    for (Peer peer : open.values()) {
      Use use = peer.use;
      if (use.compareTo(least) > 0 || !peer.mayGiveWay(use, nowNanos)) {
        continue;
      }
      if (use != least) {
        least = use;
        ofLeast.clear();
      }
      ofLeast.computeIfAbsent(peer.address.getAddress(), any -> new ArrayList<>()).add(peer);
    }
    if (ofLeast.isEmpty()) {
      return false;
    }
    List<Peer> most = Collections.max(ofLeast.values(), Comparator.comparingInt(List::size));
    Peer oldest =
        Collections.min(most, Comparator.comparingLong(peer -> peer.sinceNanos - nowNanos));
    open.remove(oldest.connection);
    if (least != Use.IDLE) {
      refused(
          "more than " + maxConnections + " connections at once, of which this was half used",
          oldest.address);
    }
    ChannelFuture unused = oldest.connection.close();
    return true;
  }

  private void refused(String text, Object sender) {
    writer.refused(new Refusal(Refusal.Reason.CONNECTION, text), sender.toString());
  }

  /** Accepts no more connections and closes the open ones; waits for that, for a limited time. */
  void end(long patienceMillis) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    await(close(), deadlineNanos);
    List<ChannelFuture> closing = new ArrayList<>();
    open.keySet().forEach(connection -> closing.add(connection.close()));
    closing.forEach(closed -> await(closed, deadlineNanos));
  }

  private static void await(ChannelFuture closed, long deadlineNanos) {
    long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    closed.awaitUninterruptibly(Math.max(0, left));
  }
}
