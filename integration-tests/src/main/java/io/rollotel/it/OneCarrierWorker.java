package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.rollotel.annotations.Register;
import java.util.List;

/**
 * Two virtual threads begin tracing, each in its own way: a traced call, and a class that keeps a
 * tracer in a static field. Takes which comes first, {@code call} or {@code tracer}. For Java 21
 * and later.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class OneCarrierWorker {

  private static final long PATIENCE_MILLIS = 20_000;

  private OneCarrierWorker() {}

  private static final class Kept {
    static final Tracer TRACER = GlobalOpenTelemetry.getTracer("kept");
  }

  /** Prints how many of the threads have ended. */
  public static void main(String[] arguments) throws Exception {
    boolean isCallFirst = arguments[0].equals("call");
    Runnable call = OneCarrierWorker::call;
    Runnable tracer = GlobalOpenTelemetry::get;
    Runnable byHand = () -> Kept.TRACER.spanBuilder("by hand").startSpan().end();
    List<Thread> threads =
        isCallFirst
            ? List.of(start(call), start(byHand))
            : List.of(start(tracer), start(OneCarrierWorker::callThenByHand));
    int ended = 0;
    for (Thread thread : threads) {
      thread.join(PATIENCE_MILLIS);
      ended += thread.isAlive() ? 0 : 1;
    }
    System.out.println("ended " + ended);
    if (ended < threads.size()) {
      Runtime.getRuntime().halt(1);
    }
  }

  private static void callThenByHand() {
    call();
    Kept.TRACER.spanBuilder("by hand").startSpan().end();
  }

  /** By reflection: this is compiled for Java 17. */
  private static Thread start(Runnable work) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
  }

  @Register(trace = true)
  private static void call() {}
}
