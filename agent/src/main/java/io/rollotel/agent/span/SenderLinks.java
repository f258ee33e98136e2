package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.rollotel.telemetry.internal.Propagation;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The links of a call with several carriers. Loaded with the first such call. */
final class SenderLinks {

  private SenderLinks() {}

  /** Links each sender once. Carriers that were sent together all name the parent. */
  @SuppressWarnings("unchecked") // by the contract of meta_info
  static void add(SpanBuilder builder, SpanContext parent, @Nullable Map<?, ?>[] all) {
    Set<String> known = new HashSet<>();
    known.add(parent.getTraceId() + parent.getSpanId());
    for (Map<?, ?> metaInfo : all) {
      Object carrier = Propagation.carrier((Map<String, ?>) metaInfo);
      SpanContext sender =
          Span.fromContext(Propagation.extract(carrier, Context.root())).getSpanContext();
      if (sender.isValid() && known.add(sender.getTraceId() + sender.getSpanId())) {
        builder.addLink(sender);
      }
    }
  }
}
