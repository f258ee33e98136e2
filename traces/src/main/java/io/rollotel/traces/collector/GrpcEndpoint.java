package io.rollotel.traces.collector;

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
import io.grpc.Status;
import io.rollotel.traces.otlp.Signal;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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

  /** The time between two attempts to find room for a call. */
  private static final long WAIT_MILLIS = 200;

  /** The cost of a piece of a request beside its bytes. */
  private static final int PIECE_BYTES = 512;

  /**
   * A small piece may keep the whole buffer that it was read into, so it counts as half of that.
   */
  private static final int LEAST_PIECE_BYTES = Transport.MAX_READ_BYTES / 2;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

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
    GrpcCall export = new GrpcCall(signal, call, writer, clock);
    export.startTimeout(limits.requestTimeoutMillis());
    try {
      String authorization = headers.get(AUTHORIZATION);
      writer.authorize(authorization == null ? "" : authorization);
      if (export.isFirstOfConnection()) {
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
  private void admit(GrpcCall export, @Nullable Stream traced) throws Refusal {
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
    private @Nullable GrpcCall export;
    private MemoryBudget.@Nullable Reservation room;
    private boolean isClosed;

    @Override
    public Context filterContext(Context context) {
      return context.withValue(stream, this);
    }

    synchronized void enter(GrpcCall admitted, MemoryBudget.Reservation reserved) {
      export = admitted;
      room = reserved;
      if (isClosed) {
        reserved.close();
      }
    }

    @Override
    public synchronized void inboundWireSize(long bytes) {
      GrpcCall call = export;
      if (call != null
          && room != null
          && !room.add(Math.max(bytes, LEAST_PIECE_BYTES) + PIECE_BYTES)) {
        call.refuseSoonForMemory();
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
}
