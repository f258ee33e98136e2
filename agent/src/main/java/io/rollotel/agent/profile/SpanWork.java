package io.rollotel.agent.profile;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A thread works for a span that another thread began: it runs a task that was handed to it. */
@Name(SpanWork.NAME)
@Label("Span Work")
@Description("A thread works for a span that another thread began")
@Category("roll-otel")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // Flight Recorder reads the fields
public final class SpanWork extends Event {

  static final String NAME = "io.rollotel.SpanWork";

  @Label("Trace Id")
  private final String traceId;

  @Label("Span Id")
  private final String spanId;

  private SpanWork(String traceId, String spanId) {
    this.traceId = traceId;
    this.spanId = spanId;
  }

  /**
   * The calling thread begins to work for a span; {@link #commit} ends that, on the same thread.
   */
  public static SpanWork begun(String traceId, String spanId) {
    SpanWork work = new SpanWork(traceId, spanId);
    work.begin();
    return work;
  }
}
