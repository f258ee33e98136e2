package io.rollotel.traces.collector;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.rollotel.traces.otlp.Signal;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Receives OTLP/gRPC: the method {@code Export} of the three services.
 *
 * <p>A request is handled as bytes, and the answer is an empty message, so no class of protobuf is
 * needed. It stays in the transport's buffers until it is written. The calls run on the transport's
 * threads.
 */
final class GrpcEndpoint {

  private static final String PACKAGE = "opentelemetry.proto.collector.";

  private static final Attributes.Key<Connection> CONNECTION = Attributes.Key.create("connection");

  /** How often, and at which interval, a call without room is tried again. */
  private static final int MAX_WAITS = 10;

  private static final long WAIT_MILLIS = 200;

  /** The cost of a piece of a request beside its bytes. */
  private static final int PIECE_BYTES = 512;

  /**
   * A small piece may keep the whole buffer that it was read into, so it counts as half of that.
   */
  private static final int LEAST_PIECE_BYTES = Transport.MAX_READ_BYTES / 2;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  /** Our own status: the run has used up its limit. Senders then write no file either. */
  private static final Metadata.Key<String> RUN_FULL =
      Metadata.Key.of("roll-otel-run-full", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final RequestWriter writer;
  private final CollectorSettings.Limits limits;
  private final ScheduledExecutorService clock;
  private final Connections connections;
  private final Context.Key<Stream> stream = Context.key("roll-otel-stream");

  GrpcEndpoint(
      RequestWriter writer,
      CollectorSettings.Limits limits,
      ScheduledExecutorService clock,
      Connections connections) {
    this.writer = writer;
    this.connections = connections;
    this.limits = limits;
    this.clock = clock;
  }

  List<ServerServiceDefinition> services() {
    return Arrays.stream(Signal.values()).map(this::service).toList();
  }

  /** Finds no method, which is answered with UNIMPLEMENTED, and counts it. */
  HandlerRegistry others() {
    return new HandlerRegistry() {
      @Override
      public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
          String method, @Nullable String authority) {
        String text = "only Export of traces, metrics and logs is served here, not " + method;
        writer.refused(new Refusal(Refusal.Reason.NOT_FOUND, text), "a gRPC client");
        return null;
      }
    };
  }

  private ServerServiceDefinition service(Signal signal) {
    String name =
        switch (signal) {
          case TRACES -> PACKAGE + "trace.v1.TraceService";
          case METRICS -> PACKAGE + "metrics.v1.MetricsService";
          case LOGS -> PACKAGE + "logs.v1.LogsService";
        };
    GrpcMessage.Messages messages = new GrpcMessage.Messages();
    MethodDescriptor<GrpcMessage, GrpcMessage> export =
        MethodDescriptor.<GrpcMessage, GrpcMessage>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(name, "Export"))
            .setRequestMarshaller(messages)
            .setResponseMarshaller(messages)
            .build();
    ServerCallHandler<GrpcMessage, GrpcMessage> handler =
        (call, headers) -> start(signal, call, headers);
    return ServerServiceDefinition.builder(name).addMethod(export, handler).build();
  }

  private ServerCall.Listener<GrpcMessage> start(
      Signal signal, ServerCall<GrpcMessage, GrpcMessage> call, Metadata headers) {
    Stream traced = stream.get();
    ExportCall export = new ExportCall(signal, call);
    export.startTimeout();
    try {
      String authorization = headers.get(AUTHORIZATION);
      writer.authorize(authorization == null ? "" : authorization);
      if (export.connection.isKnown.compareAndSet(false, true)) {
        connections.use(
            call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), Connections.Use.SERVED);
      }
      admit(export, traced);
    } catch (Refusal refusal) {
      export.refuse(refusal);
    }
    return export;
  }

  /**
   * Asks for the message if there is room for it. If there is no room, the answer is delayed,
   * because senders that try again at once would leave the collector no time. Until then, the
   * message stays with the sender, except for the connection's window. Calls share the window, so a
   * call waits only if it is alone on its connection.
   */
  private void admit(ExportCall export, @Nullable Stream traced) throws Refusal {
    try {
      if (traced != null) {
        traced.enter(export, writer.budget().reserve());
      }
      export.ask();
    } catch (Refusal refusal) {
      if (refusal.reason() != Refusal.Reason.OVERLOADED || !export.mayWait()) {
        throw refusal;
      }
      Future<?> unused =
          clock.schedule(
              () -> {
                try {
                  admit(export, traced);
                } catch (Refusal again) {
                  export.refuse(again);
                }
              },
              WAIT_MILLIS,
              TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Runs a task on the clock's thread: the calling thread may be the transport's, in the middle of
   * its work.
   */
  private void soon(Runnable task) {
    try {
      clock.execute(task);
    } catch (RejectedExecutionException e) {
      // closed, and so are all calls
    }
  }

  private void refuse(ServerCall<GrpcMessage, GrpcMessage> call, Refusal refusal) {
    writer.refused(refusal, sender(call));
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

  /** The calls of one connection. */
  private static final class Connection {
    final AtomicInteger open = new AtomicInteger();
    final AtomicBoolean isKnown = new AtomicBoolean();
    final AtomicReference<@Nullable ExportCall> waiting = new AtomicReference<>();
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

  /** Counts the bytes of each stream from its first to its end. */
  ServerStreamTracer.Factory tracers() {
    return new ServerStreamTracer.Factory() {
      @Override
      public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return new Stream();
      }
    };
  }

  /** A stream's share of the budget, from its start to its end. */
  private final class Stream extends ServerStreamTracer {

    // Guarded by this.
    private @Nullable ExportCall export;
    private MemoryBudget.@Nullable Reservation room;
    private boolean isClosed;

    @Override
    public Context filterContext(Context context) {
      return context.withValue(stream, this);
    }

    synchronized void enter(ExportCall admitted, MemoryBudget.Reservation reserved) {
      export = admitted;
      room = reserved;
      if (isClosed) {
        reserved.close();
      }
    }

    @Override
    public synchronized void inboundWireSize(long bytes) {
      ExportCall call = export;
      if (call != null
          && room != null
          && !room.add(Math.max(bytes, LEAST_PIECE_BYTES) + PIECE_BYTES)) {
        soon(() -> call.refuse(writer.budget().refusal()));
      }
    }

    @Override
    public synchronized void streamClosed(Status status) {
      isClosed = true;
      if (room != null) {
        room.close();
      }
      if (export != null && status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
        export.tooLargeForTheTransport();
      }
    }
  }

  /**
   * One call. The transport calls the listener's methods one after the other; the clock's thread
   * may refuse the call at any time.
   */
  private final class ExportCall extends ServerCall.Listener<GrpcMessage> {

    private final Signal signal;
    private final ServerCall<GrpcMessage, GrpcMessage> call;
    private final Connection connection;
    private final boolean isAlone;

    // Guarded by this.
    private @Nullable ScheduledFuture<?> timeout;
    private @Nullable GrpcMessage request;
    private int waits;
    private boolean isOver;

    ExportCall(Signal signal, ServerCall<GrpcMessage, GrpcMessage> call) {
      this.signal = signal;
      this.call = call;
      Connection known = call.getAttributes().get(CONNECTION);
      connection = known == null ? new Connection() : known;
      isAlone = connection.open.incrementAndGet() == 1;
      ExportCall other = connection.waiting.getAndSet(null);
      if (other != null) {
        // Its received part is among this call's bytes, and would keep their buffers.
        soon(() -> other.refuse(writer.budget().refusal()));
      }
    }

    private synchronized void startTimeout() {
      timeout = clock.schedule(this::stalled, limits.requestTimeoutMillis(), TimeUnit.MILLISECONDS);
    }

    private void ask() {
      connection.waiting.compareAndSet(this, null);
      call.request(2); // a second message is an error, and must be detected
    }

    private synchronized boolean mayWait() {
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
      refuse(new Refusal(Refusal.Reason.STALLED, "the request was not all there in time"));
    }

    /** The transport has ended the call already. */
    private void tooLargeForTheTransport() {
      if (end()) {
        writer.refused(writer.tooLarge(), sender(call));
      }
    }

    private void refuse(Refusal refusal) {
      if (end()) {
        GrpcEndpoint.this.refuse(call, refusal);
      }
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

  private static String sender(ServerCall<?, ?> call) {
    SocketAddress sender = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return String.valueOf(sender);
  }
}
