package io.rollotel.agent.span;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import io.rollotel.agent.settings.Settings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies the entries of baggage that the user named onto worker spans. */
final class BaggageAttributes {

  private final List<String> names;
  private final TextLimit limit;

  private BaggageAttributes(List<String> names, TextLimit limit) {
    this.names = names;
    this.limit = limit;
  }

  /** Null if the user named none. */
  static @Nullable BaggageAttributes of(Settings settings) {
    List<String> names = settings.baggageAttributes();
    return names.isEmpty()
        ? null
        : new BaggageAttributes(names, new TextLimit(settings.attributeLength()));
  }

  void copy(Context context, SpanBuilder span) {
    Baggage baggage = Baggage.fromContext(context);
    if (baggage.isEmpty()) {
      return;
    }
    for (String name : names) {
      String value = baggage.getEntryValue(name);
      if (value != null) {
        span.setAttribute(name, limit.cut(value));
      }
    }
  }
}
