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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The collector's door for OTLP/gRPC: the method {@code Export} of the three services.
 *
 * <p>A request is taken as bytes and answered with none, an empty response: no class of protobuf is
 * needed. It stays where the transport has put it, as it came, until its turn to be written has
 * come. The calls run on the transport's threads.
 */
final class GrpcEndpoint {

  private static final String PACKAGE = "opentelemetry.proto.collector.";

  private static final Attributes.Key<AtomicInteger> CALLS = Attributes.Key.create("calls");

  /** What a piece of a request costs beside its bytes. */
  private static final int PIECE_BYTES = 512;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Intake intake;
  private final CollectorSettings.Limits limits;
  private final ScheduledExecutorService clock;
  private final Segments segments;
  private final Context.Key<Stream> stream = Context.key("roll-otel-stream");

  GrpcEndpoint(Intake intake, CollectorSettings.Limits limits, ScheduledExecutorService clock) {
    this.intake = intake;
    this.limits = limits;
    this.clock = clock;
    this.segments = new Segments(limits.maxInFlightBytes());
  }

  List<ServerServiceDefinition> services() {
    return Arrays.stream(Signal.values()).map(this::service).toList();
  }

  /** Finds nothing, which is answered with UNIMPLEMENTED, and counts. */
  HandlerRegistry others() {
    return new HandlerRegistry() {
      @Override
      public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
          String method, @Nullable String authority) {
        String text = "only Export of traces, metrics and logs is served here, not " + method;
        intake.refused(new Refusal(Refusal.Reason.NOT_FOUND, text), "a gRPC client");
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
    GrpcMessage.Messages messages = new GrpcMessage.Messages(segments);
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
    if (!intake.inFlight().enter()) {
      refuse(call, new Refusal(Refusal.Reason.STOPPING, "the collector stops"));
      return new ServerCall.Listener<>() {};
    }
    Stream traced = stream.get();
    Export export = new Export(signal, call, traced);
    if (traced != null) {
      traced.export = export;
    }
    try {
      String authorization = headers.get(AUTHORIZATION);
      intake.authorize(authorization == null ? "" : authorization);
      enter(export, traced);
    } catch (Refusal refusal) {
      export.refuse(refusal);
    }
    return export;
  }

  /**
   * Asks for the message as soon as there is room for it. Until then it stays with the sender, but
   * for the connection's window; that is shared, so none may wait that is not alone there.
   */
  private void enter(Export export, @Nullable Stream traced) throws Refusal {
    if (traced == null) {
      export.ask();
      return;
    }
    MemoryBudget budget = intake.budget();
    CompletableFuture<MemoryBudget.Lease> room =
        budget.lease(
            MemoryBudget.UNKNOWN, export.isAlone, lease -> soon(() -> export.overloaded(budget)));
    if (room.isCancelled()) {
      throw budget.overloaded();
    }
    if (!room.isDone()) {
      Runnable giveUp =
          () -> {
            if (budget.giveUp(room)) {
              export.overloaded(budget);
            }
          };
      export.waitsFor(room, List.of(later(budget::tidy, 1), later(giveUp, MemoryBudget.WAITS)));
    }
    Future<?> unused =
        room.thenAccept(
            lease -> {
              traced.enter(lease);
              export.ask();
            });
  }

  /** Not by the thread that found out, which may be the transport's in the midst of its work. */
  private void soon(Runnable task) {
    try {
      clock.execute(task);
    } catch (RejectedExecutionException e) {
      // closed, and with it all calls
    }
  }

  private Future<?> later(Runnable task, int waits) {
    return clock.schedule(task, waits * MemoryBudget.WAIT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void refuse(ServerCall<GrpcMessage, GrpcMessage> call, Refusal refusal) {
    intake.refused(refusal, sender(call));
    Metadata trailers = new Metadata();
    if (refusal.reason().isWorthARetry()) {
      trailers.put(DETAILS, refusal.status());
    }
    call.close(
        Status.fromCodeValue(refusal.reason().rpcCode()).withDescription(refusal.text()), trailers);
  }

  /** Counts the calls of each connection. */
  static ServerTransportFilter connections() {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(CALLS, new AtomicInteger()).build();
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

  /** What a stream has of the budget, from its start to its end. */
  private final class Stream extends ServerStreamTracer {

    private volatile @Nullable Export export;

    // Guarded by this.
    private MemoryBudget.@Nullable Lease lease;
    private boolean isClosed;

    @Override
    public Context filterContext(Context context) {
      return context.withValue(stream, this);
    }

    synchronized void enter(MemoryBudget.Lease given) {
      lease = given;
      if (isClosed) {
        given.close();
      }
    }

    synchronized MemoryBudget.@Nullable Lease lease() {
      return lease;
    }

    @Override
    public void inboundWireSize(long bytes) {
      MemoryBudget.Lease given = lease();
      if (given != null) {
        boolean ignored = given.add(bytes + PIECE_BYTES); // who has to give way is told
      }
    }

    @Override
    public void streamClosed(Status status) {
      synchronized (this) {
        isClosed = true;
        if (lease != null) {
          lease.close();
        }
      }
      Export call = export;
      if (call != null && status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
        call.tooLargeForTheTransport();
      }
    }
  }

  /** One call. Its methods are called one after the other, but for {@link #stalled}. */
  private final class Export extends ServerCall.Listener<GrpcMessage> {

    private final Signal signal;
    private final ServerCall<GrpcMessage, GrpcMessage> call;
    private final ScheduledFuture<?> timeout;
    private final @Nullable Stream traced;
    private final AtomicInteger callsOfConnection;
    private final boolean isAlone;

    // Guarded by this.
    private @Nullable GrpcMessage request;
    private @Nullable CompletableFuture<MemoryBudget.Lease> room; // while it waits for it
    private List<Future<?>> timers = List.of();
    private boolean isOver;

    Export(Signal signal, ServerCall<GrpcMessage, GrpcMessage> call, @Nullable Stream traced) {
      this.signal = signal;
      this.call = call;
      this.traced = traced;
      AtomicInteger calls = call.getAttributes().get(CALLS);
      this.callsOfConnection = calls == null ? new AtomicInteger() : calls;
      this.isAlone = callsOfConnection.incrementAndGet() == 1;
      this.timeout =
          clock.schedule(this::stalled, limits.requestTimeoutMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void waitsFor(
        CompletableFuture<MemoryBudget.Lease> wanted, List<Future<?>> timersOfIt) {
      room = wanted;
      timers = timersOfIt;
      if (isOver) {
        waitNoMore();
      }
    }

    private void waitNoMore() {
      timers.forEach(timer -> timer.cancel(false));
      CompletableFuture<MemoryBudget.Lease> wanted = room;
      if (wanted != null && !wanted.isDone()) {
        boolean ignored = intake.budget().giveUp(wanted); // one that came meanwhile closes itself
      }
    }

    private void overloaded(MemoryBudget budget) {
      refuse(budget.overloaded());
    }

    private void ask() {
      call.request(2); // a second message, which is one too many, is to be noticed
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
      request = null; // whoever ends the call now leaves the message alone
      return kept;
    }

    @Override
    public void onHalfClose() {
      try (GrpcMessage message = take()) {
        if (message == null) {
          throw new Refusal(Refusal.Reason.MALFORMED, "no message");
        }
        MemoryBudget.Lease lease = traced == null ? null : traced.lease();
        if (lease != null && !lease.complete()) {
          throw intake.budget().overloaded();
        }
        intake.write(signal, false, message.body(), message.isGzip());
      } catch (Refusal refusal) {
        refuse(refusal);
        return;
      } catch (RuntimeException | Error e) {
        refuse(new Refusal(Refusal.Reason.INTERNAL, "internal error: " + e));
        return;
      }
      if (end()) {
        intake.counts().accept();
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
      end(); // where the transport has answered, not we
    }

    private void stalled() {
      refuse(new Refusal(Refusal.Reason.STALLED, "the request was not all there in time"));
    }

    /** The transport has ended the call already. */
    private void tooLargeForTheTransport() {
      if (end()) {
        intake.refused(intake.wholes().tooLarge(), sender(call));
      }
    }

    private void refuse(Refusal refusal) {
      if (end()) {
        GrpcEndpoint.this.refuse(call, refusal);
      }
    }

    /** Whether it falls to the caller to answer. */
    private synchronized boolean end() {
      if (isOver) {
        return false;
      }
      isOver = true;
      GrpcMessage unread = take();
      if (unread != null) {
        unread.close();
      }
      timeout.cancel(false);
      waitNoMore();
      callsOfConnection.decrementAndGet();
      intake.inFlight().leave();
      return true;
    }
  }

  private static String sender(ServerCall<?, ?> call) {
    SocketAddress sender = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return String.valueOf(sender);
  }
}
