package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.rollotel.agent.profile.Profile;

/**
 * Records on each span the thread that began it, which links the span to the profile, and writes
 * the span into the profile. The attributes have the names of OpenTelemetry's conventions.
 */
public final class ThreadSpanProcessor implements SpanProcessor {

  private static final AttributeKey<Long> THREAD_ID = AttributeKey.longKey("thread.id");
  private static final AttributeKey<String> THREAD_NAME = AttributeKey.stringKey("thread.name");

  private final SpanProcessor next;
  private final SpanEvents events;

  public ThreadSpanProcessor(SpanProcessor next, Profile profile) {
    this.next = next;
    events = new SpanEvents(profile);
  }

  @Override
  public void onStart(Context parentContext, ReadWriteSpan span) {
    Thread thread = Thread.currentThread();
    span.setAttribute(THREAD_ID, thread.getId());
    span.setAttribute(THREAD_NAME, thread.getName());
    events.began(span);
    if (next.isStartRequired()) {
      next.onStart(parentContext, span);
    }
  }

  @Override
  public boolean isStartRequired() {
    return true;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    events.ended(span);
    if (next.isEndRequired()) {
      next.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return next.forceFlush();
  }
}
