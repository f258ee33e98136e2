package io.rollotel.it;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.DelegatingSpanData;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;

/**
 * Removes data from spans that must not leave the process: user data, and messages of exceptions.
 */
public final class Redaction implements SpanExporter {

  private final SpanExporter next;

  private Redaction(SpanExporter next) {
    this.next = next;
  }

  public static void setup(AutoConfigurationCustomizer sdk) {
    sdk.addSpanExporterCustomizer((exporter, config) -> new Redaction(exporter));
  }

  private static Attributes redacted(Attributes attributes) {
    return attributes.toBuilder()
        .removeIf(key -> key.getKey().startsWith("user."))
        .removeIf(key -> key.getKey().startsWith("exception.") && !key.getKey().endsWith(".type"))
        .build();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    return next.export(spans.stream().<SpanData>map(Redacted::new).toList());
  }

  @Override
  public CompletableResultCode flush() {
    return next.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }

  private static final class Redacted extends DelegatingSpanData {

    Redacted(SpanData span) {
      super(span);
    }

    @Override
    public Attributes getAttributes() {
      return redacted(super.getAttributes());
    }

    @Override
    public StatusData getStatus() { // its description is the message of an exception
      return StatusData.create(super.getStatus().getStatusCode(), "");
    }

    @Override
    public List<EventData> getEvents() {
      return super.getEvents().stream()
          .map(
              event ->
                  EventData.create(
                      event.getEpochNanos(), event.getName(), redacted(event.getAttributes())))
          .toList();
    }
  }
}
