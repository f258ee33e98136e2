package io.rollotel.agent.span;

import io.opentelemetry.sdk.trace.ReadableSpan;
import io.rollotel.agent.profile.Profile;
import io.rollotel.agent.profile.SpanEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes spans into the recording as events, so that JDK Mission Control shows them beside what
 * threads did. For any threads: a span may end on another one than it began on.
 */
final class SpanEvents {

  /** Spans that never end must not fill the heap, so further open spans are left out. */
  private static final int MOST_OPEN = 10_000;

  private final Map<ReadableSpan, SpanEvent> open = new ConcurrentHashMap<>();
  private final Profile profile;

  SpanEvents(Profile profile) {
    this.profile = profile;
  }

  /** A span begins. */
  void began(ReadableSpan span) {
    // Without a recording there may be no Flight Recorder, whose class an event extends.
    if (profile.isRecording() && open.size() < MOST_OPEN) {
      SpanEvent event = SpanEvent.begun();
      if (event != null) {
        open.put(span, event);
      }
    }
  }

  /** A span has ended. */
  void ended(ReadableSpan span) {
    SpanEvent event = open.remove(span);
    if (event != null && event.isLongEnough()) {
      event.ended(
          span.getName(),
          span.getSpanContext().getTraceId(),
          span.getSpanContext().getSpanId(),
          span.getParentSpanContext().getSpanId());
    }
  }
}
