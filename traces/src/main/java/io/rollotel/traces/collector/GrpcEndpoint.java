package io.rollotel.traces.collector;

import io.grpc.Attributes;
import io.grpc.Codec;
import io.grpc.Context;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import io.grpc.Detachable;
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
import io.rollotel.traces.file.Signal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
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
  private static final Message SUCCESS =
      new Message(InputStream.nullInputStream(), false, () -> {});

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

  /**
   * Leaves what is compressed as it came: it is inflated when its turn to be written has come, so
   * that what it grows to is held once, however many there are.
   */
  static DecompressorRegistry decompressors() {
    Decompressor asItCame =
        new Decompressor() {
          @Override
          public String getMessageEncoding() {
            return "gzip";
          }

          @Override
          public InputStream decompress(InputStream stream) {
            return stream;
          }
        };
    return DecompressorRegistry.emptyInstance()
        .with(Codec.Identity.NONE, false)
        .with(asItCame, true);
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
    Messages messages = new Messages(segments);
    MethodDescriptor<Message, Message> export =
        MethodDescriptor.<Message, Message>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(name, "Export"))
            .setRequestMarshaller(messages)
            .setResponseMarshaller(messages)
            .build();
    ServerCallHandler<Message, Message> handler = (call, headers) -> start(signal, call, headers);
    return ServerServiceDefinition.builder(name).addMethod(export, handler).build();
  }

  private ServerCall.Listener<Message> start(
      Signal signal, ServerCall<Message, Message> call, Metadata headers) {
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
            MemoryBudget.UNKNOWN,
            export.isAlone,
            lease -> clock.execute(() -> export.refuse(budget.overloaded())));
    if (room.isCancelled()) {
      throw budget.overloaded();
    }
    if (!room.isDone()) {
      later(budget::tidy, 1);
      later(
          () -> {
            if (budget.giveUp(room)) {
              export.refuse(budget.overloaded());
            }
          },
          MemoryBudget.WAITS);
    }
    Future<?> unused =
        room.thenAccept(
            lease -> {
              traced.enter(lease);
              export.ask();
            });
  }

  private void later(Runnable task, int waits) {
    Future<?> unused =
        clock.schedule(task, waits * MemoryBudget.WAIT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void refuse(ServerCall<Message, Message> call, Refusal refusal) {
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
  private final class Export extends ServerCall.Listener<Message> {

    private final Signal signal;
    private final ServerCall<Message, Message> call;
    private final ScheduledFuture<?> timeout;
    private final @Nullable Stream traced;
    private final AtomicInteger callsOfConnection;
    private final boolean isAlone;

    // Guarded by this.
    private @Nullable Message request;
    private boolean isOver;

    Export(Signal signal, ServerCall<Message, Message> call, @Nullable Stream traced) {
      this.signal = signal;
      this.call = call;
      this.traced = traced;
      AtomicInteger calls = call.getAttributes().get(CALLS);
      this.callsOfConnection = calls == null ? new AtomicInteger() : calls;
      this.isAlone = callsOfConnection.incrementAndGet() == 1;
      this.timeout =
          clock.schedule(this::stalled, limits.requestTimeoutMillis(), TimeUnit.MILLISECONDS);
    }

    private void ask() {
      call.request(2); // a second message, which is one too many, is to be noticed
    }

    @Override
    public void onMessage(Message message) {
      if (!keep(message)) {
        message.close();
        refuse(new Refusal(Refusal.Reason.MALFORMED, "more than one message"));
      }
    }

    private synchronized boolean keep(Message message) {
      if (isOver || request != null) {
        return false;
      }
      request = message;
      return true;
    }

    private synchronized @Nullable Message take() {
      Message kept = request;
      request = null; // whoever ends the call now leaves the message alone
      return kept;
    }

    @Override
    public void onHalfClose() {
      try (Message message = take()) {
        if (message == null) {
          throw new Refusal(Refusal.Reason.MALFORMED, "no message");
        }
        MemoryBudget.Lease lease = traced == null ? null : traced.lease();
        if (lease != null && !lease.complete()) {
          throw intake.budget().overloaded();
        }
        intake.write(signal, false, message.body, message.isGzip);
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
        call.sendMessage(SUCCESS);
        call.close(Status.OK, new Metadata());
      }
    }

    @Override
    public void onCancel() {
      end();
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
      Message unread = take();
      if (unread != null) {
        unread.close();
      }
      timeout.cancel(false);
      callsOfConnection.decrementAndGet();
      intake.inFlight().leave();
      return true;
    }
  }

  private static String sender(ServerCall<?, ?> call) {
    SocketAddress sender = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return String.valueOf(sender);
  }

  /** A message as it came, until it is closed. */
  private static final class Message implements AutoCloseable {
    final InputStream body;
    final boolean isGzip;
    private final Runnable release;

    Message(InputStream body, boolean isGzip, Runnable release) {
      this.body = body;
      this.isGzip = isGzip;
      this.release = release;
    }

    @Override
    public void close() {
      release.run();
    }
  }

  /** Messages as they are. */
  private static final class Messages implements MethodDescriptor.Marshaller<Message> {

    private final Segments segments;

    Messages(Segments segments) {
      this.segments = segments;
    }

    @Override
    public InputStream stream(Message message) {
      return InputStream.nullInputStream(); // the only answer there is
    }

    /**
     * Keeps the transport's buffers, without a copy, where the message is plain. What grpc-java has
     * wrapped to count what it grows to is {@linkplain #decompressors compressed}.
     */
    @Override
    public Message parse(InputStream stream) {
      if (stream instanceof Detachable plain) {
        InputStream detached = plain.detach();
        return new Message(detached, false, () -> closeQuietly(detached));
      }
      RequestBody body = new RequestBody(segments);
      try {
        byte[] part = new byte[Segments.BYTES];
        for (int count = stream.read(part); count >= 0; count = stream.read(part)) {
          body.append(part, count);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new Message(body.stream(), true, body::letGo);
    }

    private static void closeQuietly(InputStream stream) {
      try {
        stream.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // it is in memory
      }
    }
  }
}
