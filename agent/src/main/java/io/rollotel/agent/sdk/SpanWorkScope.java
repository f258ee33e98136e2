package io.rollotel.agent.sdk;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.profile.SpanWork;

/** The scope of a task in a profiled process: the profile records which span it works for. */
final class SpanWorkScope implements Scope {

  private final Scope scope;
  private final SpanWork work;

  private SpanWorkScope(Scope scope, SpanWork work) {
    this.scope = scope;
    this.work = work;
  }

  /** The scope itself if the context has no recorded span. */
  static Scope around(Scope scope, Context context) {
    SpanContext span = Span.fromContext(context).getSpanContext();
    if (!span.isSampled() || !span.isValid()) {
      return scope;
    }
    return new SpanWorkScope(scope, SpanWork.begun(span.getTraceId(), span.getSpanId()));
  }

  @Override
  public void close() {
    try {
      work.commit();
    } finally {
      scope.close();
    }
  }
}
