package io.rollotel.agent.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.rollotel.agent.Account;
import io.rollotel.telemetry.internal.Suppression;
import java.util.List;

/** Drops what is started inside suppression, by whichever tracer; else asks the user's. */
final class SuppressingSampler implements Sampler {

  private final Sampler configured;
  private final Account account;

  SuppressingSampler(Sampler configured, Account account) {
    this.configured = configured;
    this.account = account;
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
    SdkTracing.contextInUse();
    if (Suppression.isSpanSuppressed(parentContext)) {
      return SamplingResult.drop();
    }
    SamplingResult result =
        configured.shouldSample(parentContext, traceId, name, spanKind, attributes, parentLinks);
    if (result.getDecision() != SamplingDecision.RECORD_AND_SAMPLE) {
      account.sampledOut();
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
