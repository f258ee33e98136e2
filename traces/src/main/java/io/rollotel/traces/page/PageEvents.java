package io.rollotel.traces.page;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.SpanEvent;
import io.rollotel.traces.otlp.SpanLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events and links of all spans read, until it is known which of them the page shows. Spans
 * without any cost nothing.
 *
 * <p>Bounded: texts are cut as in {@link PageTags}, equal stack traces are stored once, and once
 * the total is too large, only those of errors are kept.
 */
final class PageEvents {

  /** An event without a stack trace. */
  static final int NO_STACK = -1;

  /**
   * An event.
   *
   * @param nanos since the span's start, null if the file has no time
   * @param attributes as JSON, but for the stack trace
   * @param stack the number of the stack trace, or {@link #NO_STACK}
   */
  record Event(@Nullable Long nanos, String name, String attributes, int stack) {}

  /** A link; its attributes are JSON. */
  record Link(String traceId, String spanId, String attributes) {}

  /**
   * The events and links of one span.
   *
   * @param count of events, of which the first are kept
   * @param linkCount the number of links, of which the first are kept
   */
  record OfSpan(int count, List<Event> events, int linkCount, List<Link> links) {}

  private static final String STACK = "exception.stacktrace";
  private static final int STACK_TEXT = 8 << 10;
  private static final int NAME_TEXT = 500;

  /** The default limit of SDKs for a span. */
  private static final int MOST_OF_SPAN = 128;

  /** The size of an object, the headers of its texts and its place in a list. */
  private static final int OBJECT_BYTES = 150;

  private final long maxBytes;
  private long bytes;
  private long forgotten;
  private final Map<Integer, OfSpan> bySpan = new HashMap<>();
  private final Map<String, Integer> stackNumbers = new HashMap<>();
  private final List<String> stacks = new ArrayList<>();

  /**
   * An empty store.
   *
   * @param maxBytes the approximate memory; twice as much if spans have failed
   */
  PageEvents(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void see(int number, Span span) {
    if (span.events().isEmpty() && span.links().isEmpty()) {
      return;
    }
    boolean isError = span.statusCode() == Span.STATUS_ERROR;
    if (bytes > (isError ? 2 * maxBytes : maxBytes)) {
      forgotten += span.events().size();
      return;
    }
    List<Event> events =
        span.events().stream().limit(MOST_OF_SPAN).map(event -> event(span, event)).toList();
    List<Link> links = span.links().stream().limit(MOST_OF_SPAN).map(this::link).toList();
    bySpan.put(number, new OfSpan(span.events().size(), events, span.links().size(), links));
    bytes += OBJECT_BYTES;
  }

  private Event event(Span span, SpanEvent event) {
    Map<String, Object> attributes = event.attributes();
    int stack = NO_STACK;
    if (attributes.get(STACK) instanceof String trace && !trace.isEmpty()) {
      stack = stack(PageTags.cut(trace, STACK_TEXT));
      attributes = new LinkedHashMap<>(attributes);
      attributes.remove(STACK);
    }
    String name = PageTags.cut(event.name(), NAME_TEXT);
    String json = PageTags.text(attributes);
    bytes += OBJECT_BYTES + name.length() + json.length();
    Long nanos = event.epochNanos() == 0 ? null : event.epochNanos() - span.startEpochNanos();
    return new Event(nanos, name, json, stack);
  }

  private int stack(String trace) {
    Integer known = stackNumbers.putIfAbsent(trace, stacks.size());
    if (known != null) {
      return known;
    }
    stacks.add(trace);
    bytes += OBJECT_BYTES + trace.length();
    return stacks.size() - 1;
  }

  private Link link(SpanLink link) {
    String json = PageTags.text(link.attributes());
    bytes += OBJECT_BYTES + json.length();
    return new Link(link.traceId(), link.spanId(), json);
  }

  boolean isEmpty() {
    return bySpan.isEmpty();
  }

  /** The events and links of a span; null if it has none, or they were not kept. */
  @Nullable OfSpan of(int span) {
    return bySpan.get(span);
  }

  String stack(int number) {
    return stacks.get(number);
  }

  /** How many events were not kept, for spans of any run. */
  long forgotten() {
    return forgotten;
  }
}
