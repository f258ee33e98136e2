package io.rollotel.traces.otlp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the events and links of a span. Most spans have none. */
final class EventsAndLinks {

  /** The attributes of events that are read if events are left in the file. */
  private static final Set<String> OF_EXCEPTIONS = Set.of("exception.type", "exception.message");

  private EventsAndLinks() {}

  /**
   * Reads an event.
   *
   * @param isKept whether the span keeps it; otherwise only what it says about a failure
   */
  static void event(JsonCursor json, SpanDraft draft, boolean isKept)
      throws UnreadableLineException {
    String name = "";
    long epochNanos = 0;
    Map<String, Object> attributes = Map.of();
    if (json.entersObject("event")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        if (key.equals("attributes")) {
          attributes = KeyValues.read(json, key, isKept ? null : OF_EXCEPTIONS);
        } else if (isKept && key.equals("name")) {
          name = json.repeatedText(key);
        } else if (isKept && key.equals("timeUnixNano")) {
          epochNanos = json.unsigned(key);
        } else {
          json.skip();
        }
      }
    }
    if (isKept) {
      draft.events = with(draft.events, new SpanEvent(name, epochNanos, attributes));
    }
    Object type = attributes.get("exception.type");
    Object message = attributes.get("exception.message");
    if (type != null) {
      draft.exception = message == null ? type.toString() : type + ": " + message;
    } else if (message != null) {
      draft.exception = message.toString();
    }
  }

  /** Reads the list of links, or skips it. */
  static void links(JsonCursor json, SpanDraft draft, boolean isKept)
      throws UnreadableLineException {
    if (!isKept) {
      json.skip();
      return;
    }
    for (boolean more = json.entersArray("links"); more; more = json.hasNext()) {
      String traceId = "";
      String spanId = "";
      Map<String, Object> attributes = Map.of();
      if (json.entersObject("link")) {
        for (String key = json.nextKey(); key != null; key = json.nextKey()) {
          switch (key) {
            case "traceId" -> traceId = json.optionalId(key, 32);
            case "spanId" -> spanId = json.optionalId(key, 16);
            case "attributes" -> attributes = KeyValues.read(json, key, null);
            default -> json.skip();
          }
        }
      }
      draft.links = with(draft.links, new SpanLink(traceId, spanId, attributes));
    }
  }

  /** Most spans have none: they share a list. */
  private static <T> List<T> with(List<T> list, T one) {
    List<T> grown = list.isEmpty() ? new ArrayList<>() : list;
    grown.add(one);
    return grown;
  }
}
