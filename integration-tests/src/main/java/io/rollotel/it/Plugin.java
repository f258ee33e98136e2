package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Register;

/** What {@link PluginHost} loads by class loaders of its own. */
@SuppressWarnings("roll-otel:no-carrier")
public final class Plugin {

  private Plugin() {}

  /** A span by hand, a worker method below it, and one by hand in that. */
  public static void run(String name) {
    Span span =
        GlobalOpenTelemetry.getTracer("application").spanBuilder("outer " + name).startSpan();
    try (Scope scope = span.makeCurrent()) {
      work(name);
    } finally {
      span.end();
    }
  }

  @Register(trace = true)
  private static void work(String name) {
    GlobalOpenTelemetry.getTracer("application").spanBuilder("inner " + name).startSpan().end();
    System.out.println(name + " has worked");
  }
}
