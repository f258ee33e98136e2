package io.rollotel.traces.collector;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.rollotel.traces.otlp.Signal;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code Export}, from its start to its only answer. The transport calls the listener's
 * methods one after the other; the clock's thread may refuse the call at any time.
 */
final class GrpcCall extends ServerCall.Listener<GrpcMessage> {

  private static final Attributes.Key<Connection> CONNECTION = Attributes.Key.create("connection");

  /** How often a call without room is tried again. */
  private static final int MAX_WAITS = 10;

  /** Our own status: the run has used up its limit. Senders then write no file either. */
  private static final Metadata.Key<String> RUN_FULL =
      Metadata.Key.of("roll-otel-run-full", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  /** The calls of one connection. */
  private static final class Connection {
    final AtomicInteger open = new AtomicInteger();
    final AtomicBoolean isKnown = new AtomicBoolean();
    final AtomicReference<@Nullable GrpcCall> waiting = new AtomicReference<>();
  }

  private final Signal signal;
  private final ServerCall<GrpcMessage, GrpcMessage> call;
  private final RequestWriter writer;
  private final ScheduledExecutorService clock;
  private final Connection connection;

  /** Whether its connection had no other call when it began. */
  private final boolean isAlone;

  // Guarded by this.
  private @Nullable ScheduledFuture<?> timeout;
  private @Nullable GrpcMessage request;
  private int waits;
  private boolean isOver;

  /**
   * A call that has begun.
   *
   * @param writer writes its message
   * @param clock a thread for what cannot be done on the transport's
   */
  GrpcCall(
      Signal signal,
      ServerCall<GrpcMessage, GrpcMessage> call,
      RequestWriter writer,
      ScheduledExecutorService clock) {
    this.signal = signal;
    this.call = call;
    this.writer = writer;
    this.clock = clock;
    Connection known = call.getAttributes().get(CONNECTION);
    connection = known == null ? new Connection() : known;
    isAlone = connection.open.incrementAndGet() == 1;
    GrpcCall other = connection.waiting.getAndSet(null);
    if (other != null) {
      // Its received part is among this call's bytes, and would keep their buffers.
      other.refuseSoonForMemory();
    }
  }

  /** Knows the calls of each connection. */
  static ServerTransportFilter knownConnections() {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(CONNECTION, new Connection()).build();
      }
    };
  }

  synchronized void startTimeout(long millis) {
    timeout = clock.schedule(this::stalled, millis, TimeUnit.MILLISECONDS);
  }

  /** Whether no call of its connection has been asked this before. */
  boolean isFirstOfConnection() {
    return connection.isKnown.compareAndSet(false, true);
  }

  /** Asks for the message. */
  void ask() {
    connection.waiting.compareAndSet(this, null);
    call.request(2); // a second message is an error, and must be detected
  }

  /** Whether it may wait for room: it is alone, and has not waited too often. */
  synchronized boolean mayWait() {
    if (!isAlone || isOver || waits++ >= MAX_WAITS) {
      return false;
    }
    connection.waiting.set(this);
    return true;
  }

  @Override
  public void onMessage(GrpcMessage message) {
    if (!keep(message)) {
      message.close();
      refuse(new Refusal(Refusal.Reason.MALFORMED, "more than one message"));
    }
  }

  private synchronized boolean keep(GrpcMessage message) {
    if (isOver || request != null) {
      return false;
    }
    request = message;
    return true;
  }

  private synchronized @Nullable GrpcMessage take() {
    GrpcMessage kept = request;
    request = null; // from now on, ending the call does not touch the message
    return kept;
  }

  @Override
  public void onHalfClose() {
    try (GrpcMessage message = take()) {
      if (message == null) {
        throw new Refusal(Refusal.Reason.MALFORMED, "no message");
      }
      writer.write(signal, false, message.body(), message.isGzip());
    } catch (Refusal refusal) {
      refuse(refusal);
      return;
    } catch (RuntimeException | Error e) {
      refuse(new Refusal(Refusal.Reason.INTERNAL, "internal error: " + e));
      return;
    }
    if (end()) {
      writer.counts().accept();
      call.sendHeaders(new Metadata());
      call.sendMessage(GrpcMessage.SUCCESS);
      call.close(Status.OK, new Metadata());
    }
  }

  @Override
  public void onCancel() {
    end();
  }

  @Override
  public void onComplete() {
    end(); // in case the transport has answered instead of this class
  }

  private void stalled() {
    refuse(new Refusal(Refusal.Reason.STALLED, "the request was not complete in time"));
  }

  /** The transport has ended the call already. */
  void tooLargeForTheTransport() {
    if (end()) {
      writer.refused(writer.tooLarge(), sender());
    }
  }

  /**
   * Refuses it on the clock's thread: the calling thread may be the transport's, in the middle of
   * its work.
   */
  void refuseSoonForMemory() {
    try {
      clock.execute(() -> refuse(writer.budget().refusal()));
    } catch (RejectedExecutionException e) {
      // closed, and so are all calls
    }
  }

  void refuse(Refusal refusal) {
    if (end()) {
      answer(refusal);
    }
  }

  private void answer(Refusal refusal) {
    writer.refused(refusal, sender());
    Metadata trailers = new Metadata();
    if (refusal.reason().isWorthARetry()) {
      trailers.put(DETAILS, refusal.status());
    }
    if (refusal.reason() == Refusal.Reason.SPENT) {
      trailers.put(RUN_FULL, "1"); // three reasons share its code
    }
    call.close(
        Status.fromCodeValue(refusal.reason().rpcCode()).withDescription(refusal.text()), trailers);
  }

  private String sender() {
    SocketAddress sender = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return String.valueOf(sender);
  }

  /** Whether the caller must answer. */
  private synchronized boolean end() {
    if (isOver) {
      return false;
    }
    isOver = true;
    GrpcMessage unread = take();
    if (unread != null) {
      unread.close();
    }
    if (timeout != null) {
      timeout.cancel(false);
    }
    connection.open.decrementAndGet();
    connection.waiting.compareAndSet(this, null);
    return true;
  }
}
