package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.rollotel.annotations.Register;
import io.rollotel.telemetry.Telemetry;
import io.rollotel.telemetry.TraceContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;

/**
 * A worker with OpenTelemetry on its class path. Before the agent arrives it has asked for the
 * global instance, or set an SDK of its own. Answers lines as {@link AttachedWorker} does.
 */
public final class AttachedGlobalWorker {

  private static Tracer kept = GlobalOpenTelemetry.getTracer("before");

  private AttachedGlobalWorker() {}

  /** Takes {@code own} for an SDK of its own. */
  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("own")) {
      GlobalOpenTelemetry.resetForTest(); // the get above has set it
      GlobalOpenTelemetry.set(
          OpenTelemetrySdk.builder()
              .setTracerProvider(
                  SdkTracerProvider.builder()
                      .addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter()))
                      .build())
              .build());
    }
    generate(Payload.traced());
    suppressed();
    System.out.println("= ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println("= " + answer(line));
    }
  }

  private static Object answer(String line) {
    return switch (line) {
      case "call" -> generate(Payload.traced()) + " " + suppressed();
      case "keep" -> {
        kept = GlobalOpenTelemetry.getTracer("kept");
        yield "kept";
      }
      case "kept" -> {
        Span span = kept.spanBuilder("kept").startSpan();
        span.setAttribute("key", "value").end();
        yield span.getSpanContext().isSampled();
      }
      default -> throw new IllegalArgumentException(line);
    };
  }

  @Register(trace = true)
  private static int generate(Payload payload) {
    Span span = Telemetry.tracer("application").spanBuilder("by hand").startSpan();
    try (Scope scope = span.makeCurrent()) {
      return payload.getMetaInfo().size();
    } finally {
      span.end();
    }
  }

  /** Says whether anything is injected inside suppression. */
  @Register
  private static String suppressed() {
    return "injected " + TraceContext.inject(new HashMap<>()).keySet();
  }
}
