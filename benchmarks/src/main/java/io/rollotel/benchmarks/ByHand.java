package io.rollotel.benchmarks;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What generated methods call that are traced by hand, with an SDK that exports nothing. */
public final class ByHand {

  private static final Tracer TRACER = SdkTracerProvider.builder().build().get("worker");

  private ByHand() {}

  /** The context of the payload. */
  @SuppressWarnings("unchecked") // as in a program that trusts its payload
  public static Context extract(Map<String, Object> metaInfo) {
    Context current = Context.current();
    return metaInfo.get("_otel_ctx") instanceof Map<?, ?> carrier
        ? W3CTraceContextPropagator.getInstance()
            .extract(current, (Map<String, String>) carrier, Headers.GETTER)
        : current;
  }

  /** A span below it. */
  public static Span start(String name, Context parent) {
    return TRACER
        .spanBuilder("worker." + name)
        .setParent(parent)
        .setAttribute("code.function.name", name)
        .startSpan();
  }

  /** The method has thrown. */
  public static void failed(Span span, RuntimeException thrown) {
    span.setStatus(StatusCode.ERROR);
    span.recordException(thrown);
  }

  private enum Headers implements TextMapGetter<Map<String, String>> {
    GETTER;

    @Override
    public Iterable<String> keys(Map<String, String> carrier) {
      return carrier.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
      return carrier == null ? null : carrier.get(key);
    }
  }
}
