package io.rollotel.agent.span;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import org.jspecify.annotations.Nullable;

/**
 * The ids of a {@link WorkerMethodSpan} and of its parent: numbers until their text is requested.
 */
public abstract class SpanIds {

  private final long traceHigh;
  private final long traceLow;
  private final long spanId;

  /** Zero for a root, and if {@link #parent} was given. */
  private final long parentSpanId;

  private final boolean remoteParent;

  /** The parent, if it was given or has been requested. */
  private @Nullable SpanContext parent;

  /** Null until it is requested. */
  private @Nullable SpanContext context;

  /**
   * Ids of a sampled span.
   *
   * @param parent given if another agent made it, or if the trace has a state. The trace id is
   *     taken from it unless it is given here
   */
  SpanIds(
      long traceHigh,
      long traceLow,
      long spanId,
      long parentSpanId,
      boolean remoteParent,
      @Nullable SpanContext parent) {
    this.traceHigh = traceHigh;
    this.traceLow = traceLow;
    this.spanId = spanId;
    this.parentSpanId = parentSpanId;
    this.remoteParent = remoteParent;
    this.parent = parent;
  }

  public final long traceHigh() {
    return traceHigh;
  }

  public final long traceLow() {
    return traceLow;
  }

  public final long spanId() {
    return spanId;
  }

  /** Whether the trace has a state, which all of its spans must carry. */
  final boolean hasState() {
    SpanContext above = parent;
    return above != null && !above.getTraceState().isEmpty();
  }

  /** The source of the trace id; null if it is stored here as numbers. */
  final @Nullable SpanContext traceOf() {
    return (traceHigh | traceLow) == 0 ? parent : null;
  }

  /** Whether all ids are here as numbers, and there is no trace state. */
  public final boolean isNumbers() {
    return parent == null;
  }

  public final long parentSpanId() {
    return parentSpanId;
  }

  public final boolean isRemoteParent() {
    return remoteParent;
  }

  /** As of a span. */
  public final SpanContext getSpanContext() {
    SpanContext known = context; // immutable, so two threads may each create one
    if (known == null) {
      SpanContext trace = traceOf();
      SpanContext above = parent;
      known =
          SpanContext.create(
              trace == null ? TraceId.fromLongs(traceHigh, traceLow) : trace.getTraceId(),
              SpanId.fromLong(spanId),
              TraceFlags.getSampled(),
              above == null ? TraceState.getDefault() : above.getTraceState());
      context = known;
    }
    return known;
  }

  /** As of a readable span. */
  public final SpanContext getParentSpanContext() {
    SpanContext known = parent;
    if (known == null) {
      String traceId = TraceId.fromLongs(traceHigh, traceLow);
      String parentId = SpanId.fromLong(parentSpanId);
      TraceFlags sampled = TraceFlags.getSampled();
      TraceState none = TraceState.getDefault();
      known =
          remoteParent
              ? SpanContext.createFromRemoteParent(traceId, parentId, sampled, none)
              : SpanContext.create(traceId, parentId, sampled, none);
      parent = known;
    }
    return known;
  }
}
