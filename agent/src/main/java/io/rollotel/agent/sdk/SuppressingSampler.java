package io.rollotel.agent.sdk;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.internal.OtelEncodingUtils;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.span.CurrentContext;
import io.rollotel.agent.span.Thinning;
import io.rollotel.telemetry.internal.Suppression;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Drops spans that any tracer starts inside suppression; otherwise asks the user's sampler. Some of
 * the traces that would begin here are thinned out. The state of each trace that begins here tells
 * how many traces it stands for, if it stands for several.
 */
final class SuppressingSampler implements Sampler {

  /** Where the second half of a trace's id begins. */
  private static final int TRACE_LOW_AT = 16;

  /** An odd number with irregular bits, from the golden ratio. */
  private static final long MIX = 0x9e3779b97f4a7c15L;

  private final Sampler configured;
  private final Ledger ledger;
  private final Thinning thinning;

  /** Whether the trace IDs that the user's sampler accepts are still random. */
  private final boolean takesAllRoots;

  /** Of the user's sampler. */
  private final @Nullable TraceIdRatio ratio;

  SuppressingSampler(Sampler configured, Ledger ledger, Thinning thinning) {
    this(configured, null, ledger, thinning);
  }

  /**
   * A sampler around the user's.
   *
   * @param argument the setting {@code otel.traces.sampler.arg}, if given
   */
  SuppressingSampler(
      Sampler configured, @Nullable String argument, Ledger ledger, Thinning thinning) {
    this.configured = configured;
    this.ledger = ledger;
    this.thinning = thinning;
    ratio = TraceIdRatio.of(configured, argument);
    takesAllRoots =
        configured.equals(Sampler.alwaysOn())
            || configured.equals(Sampler.parentBased(Sampler.alwaysOn()));
  }

  /** The user's. */
  Sampler configured() {
    return configured;
  }

  @Override
  public SamplingResult shouldSample(
      Context parentContext,
      String traceId,
      String name,
      SpanKind spanKind,
      Attributes attributes,
      List<LinkData> parentLinks) {
    CurrentContext.use();
    if (Suppression.isSpanSuppressed(parentContext)) {
      return SamplingResult.drop();
    }
    SamplingResult result =
        configured.shouldSample(parentContext, traceId, name, spanKind, attributes, parentLinks);
    if (result.getDecision() != SamplingDecision.RECORD_AND_SAMPLE) {
      ledger.sampledOut();
      return result;
    }
    if (ratio != null || thinning.hasBegun()) {
      return begun(result, parentContext, traceId);
    }
    if (!thinning.hasRoots() && !Span.fromContext(parentContext).getSpanContext().isValid()) {
      thinning.rootBegins();
    }
    return result;
  }

  private SamplingResult begun(SamplingResult result, Context parentContext, String traceId) {
    SpanContext parent = Span.fromContext(parentContext).getSpanContext();
    if (parent.isSampled()) {
      return result;
    }
    if (parent.isValid() && !parent.isRemote()) {
      // A sampler that ignores parents would leave parts of thinned traces.
      ledger.sampledOut();
      return SamplingResult.drop();
    }
    // Below a sender's unsampled span, such a sampler decides anew. By the trace ID, it comes to
    // the driver's decision.
    thinning.rootBegins();
    TraceState state = result.getUpdatedTraceState(parent.getTraceState());
    if (state.get(Thinning.KEY) != null) {
      return result; // the sampler or the sender already states what it represents
    }
    if (ratio != null) {
      int halvings = thinning.halvings();
      if (!ratio.takes(traceId, halvings)) {
        ledger.thinnedOut();
        return SamplingResult.drop();
      }
      return new Taken(result.getAttributes(), with(state, ratio.entry(traceId, halvings)));
    }
    if (thinning.halvings() == 0) {
      return result;
    }
    long random = random(traceId);
    SpanContext above = thinning.rootOf(random);
    if (above == null) {
      return SamplingResult.drop();
    }
    String threshold = above.getTraceState().get(Thinning.KEY);
    // After a sampler that decides by the trace's id, the remaining ids are not random any more.
    String entry =
        takesAllRoots ? threshold : threshold + ";rv:" + HexFormat.of().toHexDigits(random, 14);
    return new Taken(result.getAttributes(), with(state, entry));
  }

  private static TraceState with(TraceState state, String entry) {
    return state.toBuilder().put(Thinning.KEY, entry).build();
  }

  /** 64 bits derived from the trace's id, the same in each process. */
  private long random(String traceId) {
    long low = OtelEncodingUtils.longFromBase16String(traceId, TRACE_LOW_AT);
    if (takesAllRoots) {
      return low;
    }
    // The first half is still random, although a foreign one may contain the time.
    long mixed = (OtelEncodingUtils.longFromBase16String(traceId, 0) + low * MIX) * MIX;
    mixed = (mixed ^ (mixed >>> 32)) * MIX;
    return mixed ^ (mixed >>> 32);
  }

  /** A trace that begins here and stands for others. */
  private record Taken(Attributes attributes, TraceState state) implements SamplingResult {

    @Override
    public SamplingDecision getDecision() {
      return SamplingDecision.RECORD_AND_SAMPLE;
    }

    @Override
    public Attributes getAttributes() {
      return attributes;
    }

    @Override
    public TraceState getUpdatedTraceState(TraceState parents) {
      return state;
    }
  }

  @Override
  public String getDescription() {
    return "SuppressingSampler{" + configured.getDescription() + "}";
  }

  @Override
  public String toString() {
    return getDescription();
  }
}
