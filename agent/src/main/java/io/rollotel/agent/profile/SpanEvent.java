package io.rollotel.agent.profile;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A span, for viewing the recording in JDK Mission Control. Reports do not need it. */
@Name(SpanEvent.NAME)
@Label("Span")
@Description("A span, on the thread that ended it")
@Category("roll-otel")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // Flight Recorder reads the fields
public final class SpanEvent extends Event {

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

  /** A span begins now; null if no recording takes such events. */
  public static @Nullable SpanEvent begun() {
    SpanEvent event = new SpanEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  /** The span ends now. Returns whether it is long enough to be written. */
  public boolean isLongEnough() {
    end();
    return shouldCommit();
  }

  /** Writes the span, which has ended. */
  public void ended(String name, String traceId, String spanId, String parentSpanId) {
    this.name = name;
    this.traceId = traceId;
    this.spanId = spanId;
    this.parentSpanId = parentSpanId;
    commit();
  }
}
