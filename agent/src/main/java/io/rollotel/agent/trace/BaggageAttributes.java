package io.rollotel.agent.trace;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import io.rollotel.agent.Settings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies entries of baggage onto worker spans: those that the user named. */
final class BaggageAttributes {

  private final List<String> names;
  private final int longestText;

  private BaggageAttributes(List<String> names, int longestText) {
    this.names = names;
    this.longestText = longestText;
  }

  /** Null where the user named none. */
  static @Nullable BaggageAttributes of(Settings settings) {
    List<String> names = settings.baggageAttributes();
    return names.isEmpty() ? null : new BaggageAttributes(names, settings.attributeLength());
  }

  void copy(Context context, SpanBuilder span) {
    Baggage baggage = Baggage.fromContext(context);
    if (baggage.isEmpty()) {
      return;
    }
    for (String name : names) {
      String value = baggage.getEntryValue(name);
      if (value != null) {
        span.setAttribute(name, CapturedAttribute.cut(value, longestText));
      }
    }
  }
}
