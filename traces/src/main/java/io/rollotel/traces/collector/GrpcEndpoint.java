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
  private static final Message SUCCESS = new Message(new byte[0], 0);

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Intake intake;
  private final CollectorSettings.Limits limits;
  private final ScheduledExecutorService clock;
  private final RequestBuffers buffers = new RequestBuffers();
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
    Bytes bytes = new Bytes(limits.maxRequestBytes(), buffers);
    MethodDescriptor<Message, Message> export =
        MethodDescriptor.<Message, Message>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(name, "Export"))
            .setRequestMarshaller(bytes)
            .setResponseMarshaller(bytes)
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
      if (intake.budget().bytes() >= limits.maxInFlightBytes()) {
        throw intake.budget().overloaded();
      }
      call.request(2); // a second message, which is one too many, is to be noticed
    } catch (Refusal refusal) {
      export.refuse(refusal);
    }
    return export;
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
  private final class Export extends ServerCall.Listener<Message> {

    private final Signal signal;
    private final ServerCall<Message, Message> call;
    private final ScheduledFuture<?> timeout;
    private final @Nullable Stream traced;

    // Guarded by this.
    private @Nullable Message request;
    private boolean isOver;

    Export(Signal signal, ServerCall<Message, Message> call, @Nullable Stream traced) {
      this.signal = signal;
      this.call = call;
      this.traced = traced;
      this.timeout =
          clock.schedule(this::stalled, limits.requestTimeoutMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void onMessage(Message message) {
      if (message == Bytes.TOO_LARGE) {
        refuse(tooLarge());
      } else if (message == Bytes.MALFORMED) {
        refuse(new Refusal(Refusal.Reason.MALFORMED, "malformed gzip"));
      } else if (!keep(message)) {
        buffers.giveBack(message.bytes);
        refuse(new Refusal(Refusal.Reason.MALFORMED, "more than one message"));
      } else if (traced != null && !traced.lease.addDecompressed(message.length)) {
        refuse(intake.budget().overloaded());
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
      request = null; // whoever ends the call now leaves the buffer alone
      return kept;
    }

    @Override
    public void onHalfClose() {
      Message message = take();
      try {
        if (message == null) {
          throw new Refusal(Refusal.Reason.MALFORMED, "no message");
        }
        intake.write(signal, false, message.bytes, message.length);
      } catch (Refusal refusal) {
        refuse(refusal);
        return;
      } catch (RuntimeException | Error e) {
        refuse(new Refusal(Refusal.Reason.INTERNAL, "internal error: " + e));
        return;
      } finally {
        if (message != null) {
          buffers.giveBack(message.bytes);
        }
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
      Message unread = take();
      if (unread != null) {
        buffers.giveBack(unread.bytes);
      }
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

  /** A message as it came; its array is one of {@link RequestBuffers}. */
  private static final class Message {
    final byte[] bytes;
    final int length;

    Message(byte[] bytes, int length) {
      this.bytes = bytes;
      this.length = length;
    }
  }

  /** Messages as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<Message> {

    // Told by identity.
    static final Message TOO_LARGE = new Message(new byte[0], 0);
    static final Message MALFORMED = new Message(new byte[0], 0);

    private final int maxBytes;
    private final RequestBuffers buffers;

    Bytes(int maxBytes, RequestBuffers buffers) {
      this.maxBytes = maxBytes;
      this.buffers = buffers;
    }

    @Override
    public InputStream stream(Message message) {
      return new ByteArrayInputStream(message.bytes, 0, message.length);
    }

    @Override
    public Message parse(InputStream stream) {
      byte[] bytes = {};
      try {
        // Where it is not compressed this is its length. One more shows that it is the end.
        bytes = buffers.take(Math.min(stream.available(), maxBytes) + 1);
        int length = 0;
        for (int count = 0; count >= 0; count = stream.read(bytes, length, bytes.length - length)) {
          length += count;
          if (length > maxBytes) {
            buffers.giveBack(bytes);
            return TOO_LARGE;
          }
          if (length == bytes.length) {
            byte[] larger = buffers.take((int) Math.min(2L * length, maxBytes + 1L));
            System.arraycopy(bytes, 0, larger, 0, length);
            buffers.giveBack(bytes);
            bytes = larger;
          }
        }
        return new Message(bytes, length);
      } catch (IOException e) {
        buffers.giveBack(bytes);
        return MALFORMED;
      } catch (StatusRuntimeException e) {
        buffers.giveBack(bytes);
        return TOO_LARGE; // once decompressed
      }
    }
  }
}
