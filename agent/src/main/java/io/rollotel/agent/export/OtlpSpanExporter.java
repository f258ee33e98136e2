package io.rollotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.traces.otlp.PartialSuccess;
import java.io.IOException;
import java.util.Collection;
import java.util.function.Consumer;

/** Exports spans by OTLP without the SDK: see {@link OtlpEndpoint}. */
final class OtlpSpanExporter implements SpanExporter {

  private final OtlpEndpoint endpoint;
  private final Consumer<PartialSuccess> onRejected;

  /** Sends one request at a time, so that the exporter's memory is reused. */
  private final TraceRequestEncoder request = new TraceRequestEncoder();

  /**
   * An exporter to an endpoint.
   *
   * @param onRejected receives the spans that were refused although their request was accepted:
   *     they must not be sent again
   */
  OtlpSpanExporter(OtlpEndpoint endpoint, Consumer<PartialSuccess> onRejected) {
    this.endpoint = endpoint;
    this.onRejected = onRejected;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode result = new CompletableResultCode();
    AgentThreads.passing()
        .execute(
            () -> {
              try {
                PartialSuccess partial = send(spans);
                // If nobody waits any more, the spans are in the own file and not lost.
                if (partial.rejected() > 0 && !result.isDone()) {
                  onRejected.accept(partial);
                }
                result.succeed();
              } catch (IOException | RuntimeException | Error e) {
                result.failExceptionally(e);
              }
            });
    return result;
  }

  /** One at a time, because a request that was given up may still wait for its time-out. */
  private synchronized PartialSuccess send(Collection<SpanData> spans) throws IOException {
    return endpoint.send(request.of(spans), FallbackExporter.ANSWER_NANOS);
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    endpoint.close();
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public String toString() {
    return "OtlpSpanExporter{" + endpoint + "}";
  }
}
