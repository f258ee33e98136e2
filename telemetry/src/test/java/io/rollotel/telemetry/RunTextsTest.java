package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Texts of any length, which the host passes and nobody must keep whole. */
class RunTextsTest {

  private static final int NAME = 255;
  private static final int PATH = 1_000;
  private static final String LONG = "x".repeat(100_000);

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
  private final RunTelemetry runs = RunTelemetry.builder().build();

  private OpenTelemetrySdk sdk;

  @BeforeEach
  void registerSdk() {
    GlobalOpenTelemetry.resetForTest();
    sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
            .buildAndRegisterGlobal();
  }

  @AfterEach
  void resetGlobal() {
    GlobalOpenTelemetry.resetForTest();
    sdk.close();
  }

  @Test
  void longTexts_areCutInSpansAndMetrics() {
    Run run = runs.runStarted(LONG, LONG, LONG, 1, LONG);
    run.step(1, LONG).reward(1).code(LONG).output(LONG).error(LONG).close();
    run.end(true, LONG, LONG);
    assertThat(spans.getFinishedSpanItems())
        .hasSize(2)
        .allSatisfy(span -> assertThat(texts(span.getAttributes())).allMatch(RunTextsTest::isCut))
        .allSatisfy(
            span ->
                assertThat(span.getEvents())
                    .flatMap(event -> texts(event.getAttributes()))
                    .allMatch(RunTextsTest::isCut));
    assertThat(metrics.collectAllMetrics())
        .hasSize(4)
        .flatMap(RunTextsTest::texts)
        .allMatch(text -> text.length() <= NAME);
  }

  @Test
  void longId_isTheSameEverywhere() {
    Run run = runs.runStarted(LONG, "task", "here");
    assertThat(runs.run(LONG)).isSameAs(run);
    assertThat(runs.traceId(LONG)).isPresent().isEqualTo(run.traceId());
    runs.step(LONG, 1, "act").reward(1).close();
    runs.runEnded(LONG, true, null, null);
    String id = "x".repeat(NAME);
    assertThat(run.id()).isEqualTo(id);
    assertThat(spans.getFinishedSpanItems())
        .extracting(span -> span.getAttributes().get(RunSpans.RUN_ID))
        .containsExactly(id, id);
    assertThat(metrics.collectAllMetrics())
        .filteredOn(metric -> metric.getName().equals("rlm.steps"))
        .flatMap(RunTextsTest::texts)
        .containsExactly(id);
    assertThat(runs.ignored()).isZero();
  }

  private static boolean isCut(String text) {
    return text.length() <= PATH;
  }

  private static List<String> texts(MetricData metric) {
    return metric.getData().getPoints().stream()
        .flatMap(point -> texts(point.getAttributes()).stream())
        .toList();
  }

  private static List<String> texts(Attributes attributes) {
    return attributes.asMap().values().stream()
        .flatMap(value -> value instanceof String text ? Stream.of(text) : Stream.empty())
        .toList();
  }
}
