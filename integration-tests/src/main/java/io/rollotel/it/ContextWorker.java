package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import io.rollotel.telemetry.Telemetry;
import io.rollotel.telemetry.TraceContext;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a worker call, by its carrier and the current context; and, inside suppression,
 * every way to make a span. Prints what dispatches wrote, and whether the context was restored.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class ContextWorker {

  private static final Tracer KEPT = GlobalOpenTelemetry.getTracer("kept");

  private ContextWorker() {}

  /** Runs all of it. */
  public static void main(String[] arguments) throws Exception {
    Context before = Context.current();
    calls("none");
    Span outer = KEPT.spanBuilder("outer").startSpan();
    try (Scope scope = outer.makeCurrent()) {
      calls("span");
      withoutTrace(Payload.traced(), () -> byHand("untraced"));
      withoutTrace(Payload.traced(), () -> take(Payload.traced(), "valid, in untraced"));
      withoutTrace(Payload.traced(), () -> takeNothing("no parameter, in untraced"));
      byHand("span");
    } finally {
      outer.end();
    }
    dispatch("new", new Payload(), true);
    dispatch("stale", Payload.traced(), true);
    dispatch("outside", new Payload(), false);
    System.out.println("context as before " + (Context.current() == before));
  }

  private static void calls(String current) {
    takeNothing("no parameter, " + current);
    take(null, "null, " + current);
    take(new Payload(), "no key, " + current);
    take(Payload.withContext(Map.of()), "empty, " + current);
    take(Payload.withContext(Map.of("traceparent", "00-zz")), "invalid, " + current);
    take(Payload.traced(), "valid, " + current);
  }

  /** Every way to make a span. */
  private static void byHand(String where) {
    end("kept tracer", where, KEPT.spanBuilder("by hand"));
    end("new tracer", where, GlobalOpenTelemetry.getTracer("new").spanBuilder("by hand"));
    end("telemetry", where, Telemetry.tracer().spanBuilder("by hand"));
    end("explicit parent", where, KEPT.spanBuilder("by hand").setParent(Context.current()));
    end("no parent", where, KEPT.spanBuilder("by hand").setNoParent());
    end(
        "parent of a payload",
        where,
        KEPT.spanBuilder("by hand")
            .setParent(TraceContext.extract(Payload.traced().getMetaInfo())));
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      other
          .submit(
              Context.current().wrap(() -> end("other thread", where, KEPT.spanBuilder("by hand"))))
          .get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      other.shutdown();
    }
    // Code that takes a payload's context on purpose leaves the suppression.
    try (Scope scope = TraceContext.attach(Payload.traced().getMetaInfo())) {
      end("attached", where, KEPT.spanBuilder("by hand"));
    }
  }

  private static void end(String how, String where, SpanBuilder span) {
    span.setAttribute("case", how + ", in " + where).startSpan().end();
  }

  private static void dispatch(String what, Payload payload, boolean suppressed) {
    if (suppressed) {
      withoutTrace(Payload.traced(), () -> send(payload));
    } else {
      send(payload);
    }
    System.out.println(what + " " + payload.getMetaInfo().keySet());
    take(payload, "received, " + what);
  }

  @Dispatch
  private static void send(Payload payload) {}

  @Register
  private static void withoutTrace(Payload payload, Runnable body) {
    body.run();
  }

  @Register(trace = true)
  private static void take(@Nullable Payload payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeNothing(@SpanAttribute("case") String name) {}
}
