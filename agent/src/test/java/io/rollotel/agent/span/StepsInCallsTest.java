package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.TestSettings;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.telemetry.Run;
import io.rollotel.telemetry.RunStep;
import io.rollotel.telemetry.RunTelemetry;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of a run that are still open when the worker call returns in which they were opened. */
class StepsInCallsTest {

  private final Ledger ledger = new Ledger();
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final OpenTelemetrySdk sdk =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(spans))
                  .build())
          .build();
  private final Tracers tracers =
      new Tracers(() -> Tracers.Found.of(sdk.getTracer("worker"), sdk), ledger);
  private final RunTelemetry runs = RunTelemetry.builder().build();

  @BeforeEach
  void register() {
    GlobalOpenTelemetry.resetForTest();
    GlobalOpenTelemetry.set(sdk);
  }

  @AfterEach
  void close() {
    GlobalOpenTelemetry.resetForTest();
    sdk.close();
  }

  private WorkerCall start() {
    WorkerMethod method =
        new WorkerMethod(
            tracers,
            new WovenMethod(
                "acme.Actor",
                "train",
                "()V",
                "int",
                true,
                "worker.train",
                "INTERNAL",
                List.of(),
                List.of()),
            TestSettings.of("otel.metrics.exporter=none"),
            ledger.entry("acme.Actor", "train", "()V"),
            StepsInCallsTest.class.getClassLoader());
    return (WorkerCall) method.startWithoutCarrier();
  }

  private static void elsewhere(Runnable work) throws InterruptedException {
    Thread thread = new Thread(work);
    thread.start();
    thread.join();
  }

  /** Between calls, and inside another one. */
  @ParameterizedTest
  @CsvSource({
    "run ended in the call, false",
    "run ended after the call, false",
    "run ended elsewhere, false",
    "step closed after the call, false",
    "step closed elsewhere, false",
    "run ended in the call, true",
    "run ended after the call, true",
    "run ended elsewhere, true",
    "step closed after the call, true",
    "step closed elsewhere, true"
  })
  void stepLeftOpenByAnException_leavesNothingOfItsCall(String how, boolean isNested)
      throws Exception {
    WorkerCall outer = isNested ? start() : null;
    Context before = Context.current();
    Run run = runs.runStarted("run", "task", "here");
    WorkerCall call = start();
    RunStep step = run.step(1, "act");
    switch (how) {
      case "run ended in the call" -> run.close();
      case "run ended elsewhere" -> elsewhere(run::close);
      case "step closed elsewhere" -> elsewhere(step::close);
      default -> {}
    }
    call.end(new IllegalStateException("tool failed"));
    if (how.endsWith("after the call")) {
      assertThat(Span.current().getSpanContext().getTraceId())
          .as("the step is open")
          .isEqualTo(run.traceId().orElseThrow());
      if (how.startsWith("run")) {
        run.close();
      } else {
        step.close();
      }
    }
    assertThat(Context.current()).isSameAs(before);
    run.close();
    if (outer != null) {
      outer.end(null);
    }
    assertThat(Context.current()).isSameAs(Context.root());
  }

  /** Each call closes the step that the one before it has opened. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stepsThatReachFromCallToCall_endWithNothingCurrent(boolean isFirstClosed) {
    Run run = runs.runStarted("run", "task", "here");
    RunStep last = run.step(0, "act");
    for (int i = 1; i < 100; i++) {
      WorkerCall call = start();
      if (isFirstClosed) {
        last.close();
      }
      RunStep next = run.step(i, "act");
      last.close();
      last = next;
      call.end(null);
    }
    last.close();
    assertThat(Context.current()).isSameAs(Context.root());
    run.end(true, null, null);
  }

  @Test
  void contextOfACall_canBePrinted() {
    WorkerCall call = start();
    assertThat(Context.current().toString()).contains("worker.train");
    call.end(null);
  }

  @Test
  void stepLeftOpenInACallFromAnotherProcess_leavesNothingOfIt() {
    Run run = runs.runStarted("run", "task", "here");
    RemoteSpan received = ReceivedCall.start(tracers, "train", "acme.Actor.train", null, 0, null);
    Context before = Context.current();
    WorkerCall call = start();
    RunStep step = run.step(1, "act");
    call.end(null);
    step.close();
    assertThat(Context.current()).isSameAs(before);
    received.end(null);
    run.end(true, null, null);
    assertThat(spans.getFinishedSpanItems())
        .extracting(SpanData::getName)
        .contains("worker.train", "rlm.step", "rlm.run");
  }
}
