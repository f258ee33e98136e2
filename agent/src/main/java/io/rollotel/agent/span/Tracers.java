package io.rollotel.agent.span;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.rollotel.agent.api.OtherAgent;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.telemetry.internal.Suppression;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tracers in use: those of the agent's SDK, those of the application's SDK once it has set one,
 * or those of opentelemetry-javaagent if it is attached too. Any thread.
 */
public final class Tracers {

  /** The scope of worker spans, as in ROLL. */
  public static final String WORKER_SCOPE = "worker";

  /** The scope of Ray's calls. */
  private static final String RAY_SCOPE = "ray";

  /** A parent that tells a foreign sampler not to sample; its ids never appear in a trace. */
  private static final Span UNSAMPLED =
      Span.wrap(
          SpanContext.create(
              "00000000000000000000000000000001",
              "0000000000000001",
              TraceFlags.getDefault(),
              TraceState.getDefault()));

  /** Of one SDK. */
  public record Found(Tracer worker, Tracer ray, OpenTelemetry openTelemetry) {

    /** The tracers of an SDK that has its own tracer for worker spans. */
    public static Found of(Tracer worker, OpenTelemetry openTelemetry) {
      return new Found(worker, openTelemetry.getTracer(RAY_SCOPE), openTelemetry);
    }

    private static Found of(OpenTelemetry openTelemetry) {
      return of(openTelemetry.getTracer(WORKER_SCOPE), openTelemetry);
    }
  }

  private final Supplier<@Nullable Found> ownSdk;
  private final Ledger ledger;
  private final ExceptionAttributes exceptions = new ExceptionAttributes();

  // Guarded by this.
  private int generation;

  /** Written under this. */
  private volatile boolean applicationSet;

  private volatile @Nullable Found found;

  /** Whether another agent provides the global; determined with the first call. */
  private volatile @Nullable Boolean otherAgent;

  /**
   * Looks up nothing before the first use.
   *
   * @param ownSdk the tracers of the agent's SDK, which it builds; null if it cannot be built
   */
  public Tracers(Supplier<@Nullable Found> ownSdk, Ledger ledger) {
    this.ownSdk = ownSdk;
    this.ledger = ledger;
  }

  /** How spans of any tracer record exceptions. */
  public ExceptionAttributes exceptions() {
    return exceptions;
  }

  /** The tracer of worker spans. */
  Tracer worker() {
    return found().worker;
  }

  /** The tracer of Ray's calls. */
  Tracer ray() {
    return found().ray;
  }

  /** The SDK that these tracers belong to. */
  OpenTelemetry openTelemetry() {
    return found().openTelemetry;
  }

  /** From now on, use the application's own global. */
  public synchronized void applicationSet() {
    applicationSet = true;
    generation++;
    found = null;
  }

  /** From now on, no span is created. */
  public synchronized void end() {
    generation++;
    Tracer none = TracerProvider.noop().get(WORKER_SCOPE);
    found = new Found(none, none, OpenTelemetry.noop());
  }

  /** The context with tracing suppressed, for all tracers. */
  Context suppress(Context context) {
    if (isOthers()) {
      return Suppression.suppress(context).with(UNSAMPLED);
    }
    return context == Context.root() ? Suppressed.ROOT : Suppression.suppress(context);
  }

  /** The context of most suppressed calls; created with the first one. */
  private static final class Suppressed {
    static final Context ROOT = Suppression.suppress(Context.root());
  }

  /** Whether spans go through a foreign SDK, whose sampler does not know suppression. */
  private boolean isOthers() {
    if (applicationSet) {
      return true;
    }
    Boolean known = otherAgent;
    if (known == null) {
      known = OtherAgent.isAttached() && OtherAgent.gave(GlobalOpenTelemetry.get());
      otherAgent = known;
    }
    return known;
  }

  private Found found() {
    Found known = found;
    return known == null ? find() : known;
  }

  /**
   * Reads the global without holding a lock, because the global is woven code of the application.
   */
  private Found find() {
    while (true) {
      int before;
      synchronized (this) {
        before = generation;
      }
      boolean others = isOthers();
      if (others) {
        ledger.throughOthers();
      }
      Found own = others ? null : ownSdk.get();
      Found now =
          own != null ? own : Found.of(others ? GlobalOpenTelemetry.get() : OpenTelemetry.noop());
      synchronized (this) {
        if (generation == before) {
          found = now;
          return now;
        }
      }
    }
  }
}
