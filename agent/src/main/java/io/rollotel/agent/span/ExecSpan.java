package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/**
 * The child {@code exec} of a worker call: everything except {@code prefetch} and {@code
 * to_remote}.
 */
final class ExecSpan {

  final Span span;

  /** The current context while the worker's own code runs. */
  final Context context;

  private final Scope scope;

  private boolean isOpen = true;
  private boolean hasEnded;

  /** Starts and makes current, on this thread. */
  @SuppressWarnings("MustBeClosedChecker") // close closes it
  ExecSpan(Tracer tracer, Context inside) {
    span = tracer.spanBuilder("exec").setParent(inside).startSpan();
    context = inside.with(span);
    scope = context.makeCurrent();
  }

  /** Whether the worker's own code is still running, as its thread sees it. */
  boolean isOpen() {
    return isOpen;
  }

  /** On the thread that started it. The span goes on. */
  void close() {
    isOpen = false;
    scope.close();
  }

  /**
   * Any thread; a second call does nothing.
   *
   * @param thrown what the worker's own code threw, if anything
   */
  void end(@Nullable Throwable thrown, WorkerMethod method) {
    if (hasEnded) {
      return;
    }
    hasEnded = true;
    try {
      if (thrown != null) {
        method.record(span, thrown);
      }
    } finally {
      span.end();
    }
  }
}
