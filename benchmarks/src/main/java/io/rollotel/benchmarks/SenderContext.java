package io.rollotel.benchmarks;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sender's context, as a program that is traced by hand reads it from a payload. */
public final class SenderContext {

  private SenderContext() {}

  /** The context in {@code _otel_ctx}; the current one if the key is missing. */
  @SuppressWarnings("unchecked") // as in a program that trusts its payload
  public static Context extract(Map<String, Object> metaInfo) {
    Context current = Context.current();
    return metaInfo.get("_otel_ctx") instanceof Map<?, ?> carrier
        ? W3CTraceContextPropagator.getInstance()
            .extract(current, (Map<String, String>) carrier, Headers.GETTER)
        : current;
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
