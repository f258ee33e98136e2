package io.rollotel.agent.sdk;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.span.CurrentContext;
import io.rollotel.telemetry.internal.Suppression;
import java.util.List;

/** Drops what is started inside suppression, by whichever tracer; else asks the user's. */
final class SuppressingSampler implements Sampler {

  private final Sampler configured;
  private final Ledger ledger;

  SuppressingSampler(Sampler configured, Ledger ledger) {
    this.configured = configured;
    this.ledger = ledger;
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
    }
    return result;
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
