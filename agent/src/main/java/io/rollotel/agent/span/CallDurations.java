package io.rollotel.agent.span;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.DoubleHistogramBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadableSpan;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The durations of a worker method's calls, as a histogram of the SDK that their spans go through.
 * The histogram also counts calls and, by {@code error.type}, errors. Any thread.
 */
final class CallDurations {

  /** After {@code rpc.server.call.duration} of the semantic conventions. */
  private static final String NAME = "roll.worker.call.duration";

  /**
   * In seconds, from {@code mcp.server.operation.duration} of the conventions. The bounds for HTTP
   * and RPC end at 10 s, but one step of a training may take longer.
   */
  private static final List<Double> BOUNDS =
      List.of(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0);

  private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

  /** The conventions' value for an error without an exception. */
  private static final String OTHER_ERROR = "_OTHER";

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Tracers tracers;
  private final Attributes succeeded;

  /** For the SDK of the last call. Immutable, so an outdated value is valid as well. */
  private @Nullable OfSdk last;

  private record OfSdk(OpenTelemetry sdk, DoubleHistogram seconds) {}

  /**
   * The durations of one method; those of all methods are one metric.
   *
   * @param constants attributes that identify the method
   */
  CallDurations(Tracers tracers, Attributes constants) {
    this.tracers = tracers;
    succeeded = constants;
  }

  /**
   * Counts a call whose span has ended, whether or not that was sampled.
   *
   * @param startNanos when the call began, for a span that does not expose its duration
   * @param failure the exception that makes the call an error; null if it returned, or threw an
   *     expected one
   * @param inside a context with the span, which may become an exemplar
   */
  void ended(Span span, long startNanos, @Nullable Throwable failure, Context inside) {
    long nanos =
        span instanceof ReadableSpan readable
            ? readable.getLatencyNanos()
            : System.nanoTime() - startNanos;
    Attributes attributes = succeeded;
    if (failure != null || isError(span)) {
      String type = failure == null ? OTHER_ERROR : ExceptionAttributes.typeOf(failure);
      attributes = succeeded.toBuilder().put(ERROR_TYPE, type).build();
    }
    histogram().record(nanos / NANOS_PER_SECOND, attributes, inside);
  }

  /** Whether the method's own code set the status to error. */
  private static boolean isError(Span span) {
    if (span instanceof WorkerMethodSpan worker) {
      return worker.statusAtEnd() == StatusCode.ERROR;
    }
    return span instanceof ReadableSpan readable
        && readable.toSpanData().getStatus().getStatusCode() == StatusCode.ERROR;
  }

  private DoubleHistogram histogram() {
    OpenTelemetry sdk = tracers.openTelemetry();
    OfSdk known = last;
    if (known == null || known.sdk != sdk) {
      known = new OfSdk(sdk, histogram(sdk));
      last = known;
    }
    return known.seconds;
  }

  private static DoubleHistogram histogram(OpenTelemetry sdk) {
    DoubleHistogramBuilder builder =
        sdk.getMeter(Tracers.WORKER_SCOPE)
            .histogramBuilder(NAME)
            .setUnit("s")
            .setDescription("Duration of calls of worker methods.");
    try {
      builder.setExplicitBucketBoundariesAdvice(BOUNDS);
    } catch (NoSuchMethodError olderApi) {
      // 1.31: the SDK's own bounds, and the same counts and sums.
    }
    return builder.build();
  }
}
