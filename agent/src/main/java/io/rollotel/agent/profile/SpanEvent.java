package io.rollotel.agent.profile;

import io.opentelemetry.sdk.trace.ReadableSpan;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A span, for those who look at the recording in JDK Mission Control. Reports need none of it. */
@Name(SpanEvent.NAME)
@Label("Span")
@Description("A span, on the thread that ended it")
@Category("roll-otel")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // Flight Recorder reads the fields
final class SpanEvent extends Event {

  static final String NAME = "io.rollotel.Span";

  @Label("Name")
  private @Nullable String name;

  @Label("Trace Id")
  private @Nullable String traceId;

  @Label("Span Id")
  private @Nullable String spanId;

  @Label("Parent Span Id")
  private @Nullable String parentSpanId;

  private SpanEvent() {}

  /** A span begins now; null where no recording wants such events. */
  static @Nullable SpanEvent begun() {
    SpanEvent event = new SpanEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  /** The span has ended. A short one leaves nothing in the recording. */
  void ended(ReadableSpan span) {
    end();
    if (shouldCommit()) {
      name = span.getName();
      traceId = span.getSpanContext().getTraceId();
      spanId = span.getSpanContext().getSpanId();
      parentSpanId = span.getParentSpanContext().getSpanId();
      commit();
    }
  }
}
