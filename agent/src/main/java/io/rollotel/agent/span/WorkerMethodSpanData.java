package io.rollotel.agent.span;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.List;

/** A snapshot of a {@link WorkerMethodSpan}. Mirrors the SDK's {@code SpanWrapper}. */
public final class WorkerMethodSpanData implements SpanData {

  private final WorkerMethodSpan span;
  private final String name;
  private final StatusData status;
  private final Attributes attributes;
  private final int totalAttributes;
  private final SpanEventsAndLinks more;
  private final long endEpochNanos;
  private final boolean ended;

  WorkerMethodSpanData(
      WorkerMethodSpan span,
      String name,
      StatusData status,
      Attributes attributes,
      int totalAttributes,
      SpanEventsAndLinks more,
      long endEpochNanos,
      boolean ended) {
    this.span = span;
    this.name = name;
    this.status = status;
    this.attributes = attributes;
    this.totalAttributes = totalAttributes;
    this.more = more;
    this.endEpochNanos = endEpochNanos;
    this.ended = ended;
  }

  public SpanIds ids() {
    return span;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public SpanKind getKind() {
    return span.getKind();
  }

  @Override
  public SpanContext getSpanContext() {
    return span.getSpanContext();
  }

  @Override
  public SpanContext getParentSpanContext() {
    return span.getParentSpanContext();
  }

  @Override
  public StatusData getStatus() {
    return status;
  }

  @Override
  public long getStartEpochNanos() {
    return span.startEpochNanos();
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public List<EventData> getEvents() {
    return more.events();
  }

  @Override
  public List<LinkData> getLinks() {
    return more.links();
  }

  @Override
  public long getEndEpochNanos() {
    return endEpochNanos;
  }

  @Override
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public int getTotalRecordedEvents() {
    return more.totalEvents();
  }

  @Override
  public int getTotalRecordedLinks() {
    return more.totalLinks();
  }

  @Override
  public int getTotalAttributeCount() {
    return totalAttributes;
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
    return span.getInstrumentationLibraryInfo();
  }

  @Override
  public InstrumentationScopeInfo getInstrumentationScopeInfo() {
    return span.getInstrumentationScopeInfo();
  }

  @Override
  public Resource getResource() {
    return span.resource();
  }

  @Override
  public String toString() {
    return "WorkerMethodSpanData{"
        + span
        + ", attributes="
        + attributes
        + ", events="
        + more.events()
        + ", links="
        + more.links()
        + "}";
  }
}
