package io.rollotel.agent.span;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.internal.AttributeUtil;
import io.opentelemetry.sdk.internal.AttributesMap;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.ExceptionEventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events and links of a {@link WorkerMethodSpan}, which few have: kept up to the limits,
 * counted beyond them, as the SDK does it. Guarded by its span while that lives.
 */
final class SpanEventsAndLinks {

  /** For a span that has none. Nothing is ever added to it. */
  static final SpanEventsAndLinks NONE = new SpanEventsAndLinks();

  private List<EventData> events = List.of();
  private int totalEvents;
  private List<LinkData> links = List.of();
  private int totalLinks;

  void add(EventData event, SpanLimits limits) {
    if (events.isEmpty()) {
      events = new ArrayList<>(4);
    }
    if (events.size() < limits.getMaxNumberOfEvents()) {
      events.add(event);
    }
    totalEvents++;
  }

  void add(LinkData link, SpanLimits limits) {
    if (links.isEmpty()) {
      links = new ArrayList<>(4);
    }
    if (links.size() < limits.getMaxNumberOfLinks()) {
      links.add(link);
    }
    totalLinks++;
  }

  List<EventData> events() {
    return Collections.unmodifiableList(events);
  }

  /** Including those beyond the limit. */
  int totalEvents() {
    return totalEvents;
  }

  List<LinkData> links() {
    return Collections.unmodifiableList(links);
  }

  /** Including those beyond the limit. */
  int totalLinks() {
    return totalLinks;
  }

  /** As they are now. */
  SpanEventsAndLinks copy() {
    SpanEventsAndLinks copy = new SpanEventsAndLinks();
    copy.events = List.copyOf(events);
    copy.totalEvents = totalEvents;
    copy.links = List.copyOf(links);
    copy.totalLinks = totalLinks;
    return copy;
  }

  static EventData event(
      SpanLimits limits, String name, @Nullable Attributes given, long epochNanos) {
    Attributes all = given == null ? Attributes.empty() : given;
    return EventData.create(
        epochNanos,
        name,
        limited(all, limits.getMaxNumberOfAttributesPerEvent(), limits),
        all.size());
  }

  static EventData exception(
      WorkerTracer tracer, Throwable thrown, @Nullable Attributes additional, long epochNanos) {
    int longest = tracer.limits().getMaxAttributeValueLength();
    AttributesMap all = AttributesMap.create(tracer.limits().getMaxNumberOfAttributes(), longest);
    boolean isSmall = tracer.exceptions().set(all::putIfCapacity, thrown, longest);
    if (additional != null) {
      additional.forEach(all::put);
    }
    // A large exception would stay in memory until the span is exported.
    return isSmall
        ? ExceptionEventData.create(epochNanos, thrown, all, all.getTotalAddedValues())
        : EventData.create(epochNanos, "exception", all, all.getTotalAddedValues());
  }

  static LinkData link(SpanLimits limits, SpanContext to, @Nullable Attributes given) {
    Attributes all = given == null ? Attributes.empty() : given;
    return LinkData.create(to, limited(all, limits.getMaxNumberOfAttributesPerLink(), limits));
  }

  private static Attributes limited(Attributes given, int most, SpanLimits limits) {
    return AttributeUtil.applyAttributesLimit(given, most, limits.getMaxAttributeValueLength());
  }
}
