package io.rollotel.agent.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.rollotel.telemetry.TraceContext;
import java.util.List;

/** Drops what is started inside suppression, by whichever tracer; else asks the user's. */
final class SuppressingSampler implements Sampler {

  private final Sampler configured;

  SuppressingSampler(Sampler configured) {
    this.configured = configured;
  }

  @Override
  public SamplingResult shouldSample(
      Context parentContext,
      String traceId,
      String name,
      SpanKind spanKind,
      Attributes attributes,
      List<LinkData> parentLinks) {
    SdkTracing.contextInUse();
    return TraceContext.isSpanSuppressed(parentContext)
        ? SamplingResult.drop()
        : configured.shouldSample(parentContext, traceId, name, spanKind, attributes, parentLinks);
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
