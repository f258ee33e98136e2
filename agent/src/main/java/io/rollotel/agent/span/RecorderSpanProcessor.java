package io.rollotel.agent.span;

import io.opentelemetry.api.internal.OtelEncodingUtils;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.recorder.ExportedSpanIds;
import io.rollotel.agent.recorder.Recorder;
import java.io.File;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports spans to the recorder. Spans of worker methods call it directly; for the SDK's own spans,
 * it is a processor before the queue.
 */
public final class RecorderSpanProcessor implements SpanProcessor {

  private static final int TRACE_LOW_AT = 16;

  private final Recorder recorder;
  private final SpanProcessor queue;
  private final Clock clock;

  public RecorderSpanProcessor(Recorder recorder, SpanProcessor queue, Clock clock) {
    this.recorder = recorder;
    this.queue = queue;
    this.clock = clock;
  }

  /** One that records nothing. */
  public static RecorderSpanProcessor none(SpanProcessor queue) {
    return new RecorderSpanProcessor(new Recorder(0, new File("")), queue, Clock.getDefault());
  }

  /** The facts that each span of a worker method has. */
  long facts(String name, SpanKind kind) {
    return recorder.facts(name, OtlpNumbers.of(kind), true);
  }

  /**
   * A span of a worker method.
   *
   * @return the value for {@link WorkerMethodSpan#recorderSlot}
   */
  int started(WorkerMethodSpan span) {
    SpanContext trace = span.traceOf();
    return recorder.startedHere(
        trace == null ? span.traceHigh() : traceHigh(trace),
        trace == null ? span.traceLow() : traceLow(trace),
        span.spanId(),
        parentId(span, trace),
        span.startEpochNanos(),
        span.facts());
  }

  /** A span of a worker method, which does not change any more. */
  void ended(WorkerMethodSpan span) {
    SpanContext trace = span.traceOf();
    String newName = span.newNameAtEnd();
    recorder.ended(
        span.recorderSlot(),
        trace == null ? span.traceHigh() : traceHigh(trace),
        trace == null ? span.traceLow() : traceLow(trace),
        span.spanId(),
        parentId(span, trace),
        span.startEpochNanos(),
        span.endEpochNanos(),
        newName == null ? span.facts() : facts(newName, span.getKind()),
        OtlpNumbers.of(span.statusAtEnd()),
        !queue.isEndRequired());
  }

  private static long parentId(WorkerMethodSpan span, @Nullable SpanContext trace) {
    return trace == null || span.parentSpanId() != 0 ? span.parentSpanId() : spanId(trace);
  }

  /** The SDK tells only how long ago a span started. */
  @Override
  public void onStart(Context parentContext, ReadWriteSpan span) {
    SpanContext context = span.getSpanContext();
    if (!context.isSampled()) {
      return;
    }
    recorder.started(
        traceHigh(context),
        traceLow(context),
        spanId(context),
        spanId(span.getParentSpanContext()),
        clock.now() - span.getLatencyNanos(),
        recorder.facts(span.getName(), OtlpNumbers.of(span.getKind()), false));
  }

  @Override
  public boolean isStartRequired() {
    return true;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    SpanContext context = span.getSpanContext();
    if (context.isSampled()) {
      SpanData data = span.toSpanData();
      recorder.ended(
          Recorder.BY_ID,
          traceHigh(context),
          traceLow(context),
          spanId(context),
          spanId(data.getParentSpanContext()),
          data.getStartEpochNanos(),
          data.getEndEpochNanos(),
          recorder.facts(data.getName(), OtlpNumbers.of(data.getKind()), false),
          OtlpNumbers.of(data.getStatus().getStatusCode()),
          !queue.isEndRequired());
    }
    if (queue.isEndRequired()) {
      queue.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode forceFlush() {
    return queue.forceFlush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return queue.shutdown();
  }

  /** These spans are exported or kept. */
  public static void exported(Recorder recorder, List<SpanData> spans) {
    if (!recorder.isWanted()) {
      return;
    }
    long[] ids = new long[spans.size()];
    for (int i = 0; i < ids.length; i++) {
      // A worker span's id is a number, and is not converted to text for this.
      ids[i] =
          spans.get(i) instanceof WorkerMethodSpanData worker
              ? worker.ids().spanId()
              : spanId(spans.get(i).getSpanContext());
    }
    recorder.exported(new ExportedSpanIds(ids));
  }

  private static long traceHigh(SpanContext context) {
    return OtelEncodingUtils.longFromBase16String(context.getTraceId(), 0);
  }

  private static long traceLow(SpanContext context) {
    return OtelEncodingUtils.longFromBase16String(context.getTraceId(), TRACE_LOW_AT);
  }

  private static long spanId(SpanContext context) {
    String id = context.getSpanId();
    return id.length() == SpanId.getLength() ? OtelEncodingUtils.longFromBase16String(id, 0) : 0;
  }
}
