package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * The events and links that a page shows: those of the most important spans, as long as there is
 * room, and their stack traces.
 */
final class PageEventRows {

  private static final byte[] NONE = {};

  /** The maximum number of events, and of links. */
  private static final int MOST = 2_000;

  /** Used instead of a stack trace without room. */
  private static final int STACK_LEFT_OUT = -2;

  private final PageEvents events;
  private final RunAnalysis run;
  private final PageSpans placed;
  private final Set<Integer> chosen = new HashSet<>();

  /** The place on the page, by the number at reading. */
  private final Map<Integer, Integer> stacks = new LinkedHashMap<>();

  /** The span, by its id as a number. */
  private final Map<Long, Integer> linked = new HashMap<>();

  private long leftOut;
  private long linksLeftOut;
  private long stackBytes;

  /**
   * Chooses the events to show.
   *
   * @param order spans, the most important first
   * @param maxBytes the approximate limit of characters of events, and the same for stack traces
   */
  PageEventRows(PageEvents events, RunAnalysis run, PageSpans placed, int[] order, long maxBytes) {
    this.events = events;
    this.run = run;
    this.placed = placed;
    if (!events.isEmpty()) {
      choose(order, maxBytes);
      find();
    }
  }

  private void choose(int[] order, long maxBytes) {
    int eventsLeft = MOST;
    int linksLeft = MOST;
    long bytesLeft = maxBytes;
    long stackBytesLeft = maxBytes;
    for (int span : order) {
      PageEvents.OfSpan own = events.of(span);
      long bytes = own == null ? 0 : bytes(own);
      if (own == null
          || bytes > bytesLeft
          || own.events().size() > eventsLeft
          || own.links().size() > linksLeft) {
        continue;
      }
      chosen.add(span);
      bytesLeft -= bytes;
      eventsLeft -= own.events().size();
      linksLeft -= own.links().size();
      for (PageEvents.Event event : own.events()) {
        int stack = event.stack();
        if (stack != PageEvents.NO_STACK && !stacks.containsKey(stack)) {
          int length = events.stack(stack).length();
          if (length <= stackBytesLeft) {
            stacks.put(stack, stacks.size());
            stackBytesLeft -= length;
          }
        }
      }
    }
    for (int span : run.members()) {
      PageEvents.OfSpan own = events.of(span);
      if (own != null) {
        leftOut += own.count() - (chosen.contains(span) ? own.events().size() : 0);
        linksLeftOut += own.linkCount() - (chosen.contains(span) ? own.links().size() : 0);
      }
    }
  }

  private static long bytes(PageEvents.OfSpan own) {
    long bytes = 0;
    for (PageEvents.Event event : own.events()) {
      bytes += event.name().length() + event.attributes().length();
    }
    for (PageEvents.Link link : own.links()) {
      bytes += link.attributes().length();
    }
    return bytes;
  }

  /** Finds the spans to which links lead. */
  private void find() {
    Map<Long, String> traces = new HashMap<>();
    for (int span : chosen) {
      for (PageEvents.Link link : links(span)) {
        if (!link.spanId().isEmpty()) {
          traces.put(HexIds.toLong(link.spanId()), link.traceId());
        }
      }
    }
    if (traces.isEmpty()) {
      return;
    }
    Spans spans = run.spans();
    for (int span : run.members()) {
      String trace = traces.get(spans.id(span));
      // Of spans with one id, the one in the trace; joined traces have another id.
      if (trace != null
          && (!linked.containsKey(spans.id(span)) || trace.equals(spans.traceIdOf(span)))) {
        linked.put(spans.id(span), span);
      }
    }
  }

  private List<PageEvents.Link> links(int span) {
    PageEvents.OfSpan own = events.of(span);
    return own == null ? List.of() : own.links();
  }

  /** The page's facts about all events, and the stack traces as a deflated array. */
  void write(JsonGenerator json) {
    json.writeObjectPropertyStart("events");
    json.writeNumberProperty("leftOut", leftOut + events.forgotten());
    json.writeNumberProperty("linksLeftOut", linksLeftOut);
    json.writeBooleanProperty("forgotten", events.forgotten() > 0);
    json.writeNumberProperty("most", MOST);
    byte[] texts = deflated(stackTexts());
    stackBytes = texts.length;
    json.writeBinaryProperty("stacks", texts);
    json.writeEndObject();
  }

  private static byte[] deflated(String text) {
    PageBytes column = new PageBytes();
    column.addBytes(text.getBytes(UTF_8));
    return column.deflated();
  }

  /** How many bytes the stack traces have taken, before Base64. */
  long stackBytes() {
    return stackBytes;
  }

  private String stackTexts() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartArray();
      stacks.keySet().forEach(number -> json.writeString(events.stack(number)));
      json.writeEndArray();
    }
    return text.toString();
  }

  /**
   * The events and links of a span as JSON, or how many are omitted; empty if it has none.
   *
   * <p>Events are arrays of the time since the span's start, the name, the attributes and the place
   * of the stack trace; links of the item, the ids of trace and span, and the attributes.
   */
  byte[] json(int span) {
    PageEvents.OfSpan own = events.of(span);
    if (own == null) {
      return NONE;
    }
    boolean isShown = chosen.contains(span);
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      if (isShown) {
        json.writeArrayPropertyStart("e");
        own.events().forEach(event -> event(json, event));
        json.writeEndArray();
        json.writeArrayPropertyStart("l");
        own.links().forEach(link -> link(json, link));
        json.writeEndArray();
      }
      json.writeNumberProperty("more", own.count() - (isShown ? own.events().size() : 0));
      json.writeNumberProperty("moreLinks", own.linkCount() - (isShown ? own.links().size() : 0));
      json.writeEndObject();
    }
    return text.toString().getBytes(UTF_8);
  }

  private void event(JsonGenerator json, PageEvents.Event event) {
    json.writeStartArray();
    Long nanos = event.nanos();
    if (nanos == null) {
      json.writeNull();
    } else {
      json.writeNumber(nanos);
    }
    json.writeString(event.name());
    json.writeRawValue(event.attributes());
    json.writeNumber(
        event.stack() == PageEvents.NO_STACK
            ? PageEvents.NO_STACK
            : stacks.getOrDefault(event.stack(), STACK_LEFT_OUT));
    json.writeEndArray();
  }

  private void link(JsonGenerator json, PageEvents.Link link) {
    int span = link.spanId().isEmpty() ? -1 : linked.getOrDefault(HexIds.toLong(link.spanId()), -1);
    json.writeStartArray();
    json.writeNumber(span < 0 ? -1 : placed.item(span));
    json.writeString(link.traceId());
    json.writeString(link.spanId());
    json.writeRawValue(link.attributes());
    json.writeEndArray();
  }
}
