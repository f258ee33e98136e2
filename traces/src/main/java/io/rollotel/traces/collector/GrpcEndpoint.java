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
import io.grpc.StatusRuntimeException;
import io.rollotel.traces.file.Signal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The collector's door for OTLP/gRPC: the method {@code Export} of the three services.
 *
 * <p>A request is read as bytes and answered with none, an empty response: no class of protobuf is
 * needed. The calls run on the transport's threads.
 */
final class GrpcEndpoint {

  private static final String PACKAGE = "opentelemetry.proto.collector.";
  private static final byte[] SUCCESS = {};

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Intake intake;
  private final CollectorSettings.Limits limits;
  private final ScheduledExecutorService clock;
  private final Context.Key<Stream> stream = Context.key("roll-otel-stream");

  GrpcEndpoint(Intake intake, CollectorSettings.Limits limits, ScheduledExecutorService clock) {
    this.intake = intake;
    this.limits = limits;
    this.clock = clock;
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
    Bytes bytes = new Bytes(limits.maxRequestBytes());
    MethodDescriptor<byte[], byte[]> export =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(name, "Export"))
            .setRequestMarshaller(bytes)
            .setResponseMarshaller(bytes)
            .build();
    ServerCallHandler<byte[], byte[]> handler = (call, headers) -> start(signal, call, headers);
    return ServerServiceDefinition.builder(name).addMethod(export, handler).build();
  }

  private ServerCall.Listener<byte[]> start(
      Signal signal, ServerCall<byte[], byte[]> call, Metadata headers) {
    if (!intake.inFlight().enter()) {
      refuse(call, new Refusal(Refusal.Reason.STOPPING, "the collector stops"));
      return new ServerCall.Listener<>() {};
    }
    Export export = new Export(signal, call);
    Stream traced = stream.get();
    if (traced != null) {
      traced.export = export;
    }
    try {
      String authorization = headers.get(AUTHORIZATION);
      intake.authorize(authorization == null ? "" : authorization);
      if (intake.budget().bytes() >= limits.maxInFlightBytes()) {
        throw intake.budget().overloaded();
      }
      call.request(2); // a second message, which is one too many, is to be noticed
    } catch (Refusal refusal) {
      export.refuse(refusal);
    }
    return export;
  }

  private void refuse(ServerCall<byte[], byte[]> call, Refusal refusal) {
    intake.refused(refusal, sender(call));
    Metadata trailers = new Metadata();
    if (refusal.reason().isWorthARetry()) {
      trailers.put(DETAILS, refusal.status());
    }
    call.close(
        Status.fromCodeValue(refusal.reason().rpcCode()).withDescription(refusal.text()), trailers);
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

  /** What a stream has of the budget; gives up its call where the budget is exhausted. */
  private final class Stream extends ServerStreamTracer {

    private final MemoryBudget.Lease lease = intake.budget().lease();
    private volatile @Nullable Export export;

    @Override
    public Context filterContext(Context context) {
      return context.withValue(stream, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
      Export call = export;
      if (!lease.addArrived(bytes) && call != null) {
        // Not from within the transport, which is still reading.
        clock.execute(() -> call.refuse(intake.budget().overloaded()));
      }
    }

    @Override
    public void streamClosed(Status status) {
      lease.close();
      Export call = export;
      if (call != null && status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
        call.tooLargeForTheTransport();
      }
    }
  }

  /** One call. Its methods are called one after the other, but for {@link #stalled}. */
  private final class Export extends ServerCall.Listener<byte[]> {

    private final Signal signal;
    private final ServerCall<byte[], byte[]> call;
    private final ScheduledFuture<?> timeout;
    private byte @Nullable [] request;
    private boolean isOver; // guarded by this

    Export(Signal signal, ServerCall<byte[], byte[]> call) {
      this.signal = signal;
      this.call = call;
      this.timeout =
          clock.schedule(this::stalled, limits.requestTimeoutMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void onMessage(byte[] message) {
      if (message == Bytes.TOO_LARGE) {
        refuse(tooLarge());
      } else if (message == Bytes.MALFORMED) {
        refuse(new Refusal(Refusal.Reason.MALFORMED, "malformed gzip"));
      } else if (request != null) {
        refuse(new Refusal(Refusal.Reason.MALFORMED, "more than one message"));
      } else {
        request = message;
      }
    }

    @Override
    public void onHalfClose() {
      byte[] message = request;
      try {
        if (message == null) {
          throw new Refusal(Refusal.Reason.MALFORMED, "no message");
        }
        intake.write(signal, false, message, message.length);
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
        intake.refused(tooLarge(), sender(call));
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
      request = null;
      timeout.cancel(false);
      intake.inFlight().leave();
      return true;
    }
  }

  private Refusal tooLarge() {
    return new Refusal(
        Refusal.Reason.TOO_LARGE,
        "more than " + limits.maxRequestBytes() + " bytes: send smaller batches");
  }

  private static String sender(ServerCall<?, ?> call) {
    SocketAddress sender = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return String.valueOf(sender);
  }

  /** Messages as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

    // Told by identity.
    static final byte[] TOO_LARGE = {1};
    static final byte[] MALFORMED = {2};

    private final int maxBytes;

    Bytes(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        // Where it is not compressed this is its length: one array instead of a list of pieces.
        byte[] message = new byte[Math.min(stream.available(), maxBytes)];
        int count = stream.readNBytes(message, 0, message.length);
        byte[] rest = stream.readNBytes(maxBytes + 1 - count);
        if (rest.length == 0) {
          return count == message.length ? message : Arrays.copyOf(message, count);
        }
        if (count + rest.length > maxBytes) {
          return TOO_LARGE;
        }
        message = Arrays.copyOf(message, count + rest.length);
        System.arraycopy(rest, 0, message, count, rest.length);
        return message;
      } catch (IOException e) {
        return MALFORMED;
      } catch (StatusRuntimeException e) {
        return TOO_LARGE; // once decompressed
      }
    }
  }
}
