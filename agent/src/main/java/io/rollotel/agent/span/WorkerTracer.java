package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.internal.ExtendedSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.ledger.Ledger;
import org.jspecify.annotations.Nullable;

/**
 * The tracer of worker spans on the agent's own SDK. It gives each {@link WorkerMethodSpan} what
 * the SDK's tracer would give it. Used as a tracer, it is the SDK's.
 */
public final class WorkerTracer implements Tracer {

  private static final Sampler DEFAULT_SAMPLER = Sampler.parentBased(Sampler.alwaysOn());

  private final Tracer sdkTracer;
  private final InstrumentationScopeInfo scope;
  private final SpanResource resource;
  private final SpanLimits limits;
  private final SpanProcessor processor;
  private final @Nullable ExtendedSpanProcessor endingProcessor;
  private final boolean startRequired;
  private final boolean endRequired;
  private final boolean followsParent;
  private final boolean samplesRoots;
  private final AnchoredClock clock;
  private final OsSeededIdGenerator ids;
  private final Ledger ledger;
  private final RecorderSpanProcessor recorder;
  private final ExceptionAttributes exceptions;
  private final Thinning thinning;

  /**
   * What an SDK was built with.
   *
   * @param sampler the user's; its answer is predicted if possible
   */
  public WorkerTracer(
      Tracer sdkTracer,
      InstrumentationScopeInfo scope,
      SpanResource resource,
      SpanLimits limits,
      SpanProcessor processor,
      Sampler sampler,
      Clock clock,
      OsSeededIdGenerator ids,
      Ledger ledger,
      RecorderSpanProcessor recorder,
      ExceptionAttributes exceptions,
      Thinning thinning) {
    this.sdkTracer = sdkTracer;
    this.scope = scope;
    this.resource = resource;
    this.limits = limits;
    this.processor = processor;
    endingProcessor =
        processor instanceof ExtendedSpanProcessor extended && extended.isOnEndingRequired()
            ? extended
            : null;
    startRequired = processor.isStartRequired();
    endRequired = processor.isEndRequired();
    followsParent = followsParent(sampler);
    samplesRoots = sampler.equals(DEFAULT_SAMPLER);
    this.clock = new AnchoredClock(clock);
    this.ids = ids;
    this.ledger = ledger;
    this.recorder = recorder;
    this.exceptions = exceptions;
    this.thinning = thinning;
  }

  /** Compares descriptions, because only they show how such a sampler treats parents. */
  private static boolean followsParent(Sampler sampler) {
    String usual = DEFAULT_SAMPLER.getDescription();
    return sampler.getClass() == DEFAULT_SAMPLER.getClass()
        && sampler
            .getDescription()
            .endsWith(usual.substring(usual.indexOf(",remoteParentSampled")));
  }

  @Override
  public SpanBuilder spanBuilder(String name) {
    return sdkTracer.spanBuilder(name);
  }

  /** Whether the sampler follows the parent and adds nothing, so that it need not be called. */
  public boolean followsParent() {
    return followsParent;
  }

  /** Whether the sampler samples every root, so that it need not be called. */
  boolean samplesRoots() {
    return samplesRoots;
  }

  /** A new trace if {@link #samplesRoots}; one that records nothing if it is thinned out. */
  Span root(WorkerMethodSpan.Kind spans) {
    thinning.rootBegins();
    if (thinning.takesAll()) {
      return WorkerMethodSpan.root(spans);
    }
    long traceHigh = ids.traceHigh();
    long traceLow = ids.traceLow();
    SpanContext above = thinning.rootOf(traceLow);
    return above == null
        ? new NonRecordingSpan(TraceId.fromLongs(traceHigh, traceLow), ids)
        : WorkerMethodSpan.root(spans, traceHigh, traceLow, above);
  }

  /**
   * Whether the processor wants to be told of starts. Otherwise no span needs its parent's context.
   */
  boolean isStartRequired() {
    return startRequired;
  }

  boolean isEndRequired() {
    return endRequired;
  }

  RecorderSpanProcessor recorder() {
    return recorder;
  }

  SpanProcessor processor() {
    return processor;
  }

  /** The processor, if it wants to see spans before they end. */
  @Nullable ExtendedSpanProcessor endingProcessor() {
    return endingProcessor;
  }

  ExceptionAttributes exceptions() {
    return exceptions;
  }

  InstrumentationScopeInfo scope() {
    return scope;
  }

  Resource resource() {
    return resource.get();
  }

  SpanLimits limits() {
    return limits;
  }

  AnchoredClock clock() {
    return clock;
  }

  OsSeededIdGenerator ids() {
    return ids;
  }

  /** Counts a call without a span, because its parent is not sampled. */
  void sampledOut() {
    ledger.sampledOut();
  }
}
