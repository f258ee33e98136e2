package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tracing ends while runs are open, and every span that starts also ends. */
class RunsAtEndTest extends SdkFixture {

  private final RunTelemetry runs = RunTelemetry.builder().build();

  /** A signal, a detached agent; a program whose threads have all ended. */
  @ParameterizedTest
  @CsvSource({"true, false, 0", "false, false, 0", "true, true, 2"})
  void endWithARunOpen_blamesOnlyAProgramThatHasEnded(
      boolean isJvmEnding, boolean hasProgramEnded, int lines) {
    Run run = runs.runStarted("run", "task", "here");
    RunStep step = run.step(1, "act").reward(0.5);
    try (Stderr stderr = new Stderr()) {
      runs.closeAtEnd(isJvmEnding, hasProgramEnded);
      step.reward(1).success();
      step.close();
      run.step(2, "act").reward(1).close();
      run.makeCurrent().close();
      run.end(true, "answer", null);
      runs.step("run", 3, "act").close();
      runs.runEnded("run", true, "answer", null);
      assertThat(stderr.lines()).hasSize(lines);
    }
    assertThat(exporter.getFinishedSpanItems())
        .extracting(SpanData::getName)
        .containsExactly("rlm.step", "rlm.run");
    assertThat(exporter.getFinishedSpanItems().get(1).getAttributes().asMap().toString())
        .contains("rlm.completed=false", "rlm.total_steps=1", "rlm.total_reward=0.5");
    assertThat(Context.current()).isEqualTo(Context.root());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void runAfterTheEnd_isRecordedUnlessTheJvmIsEnding(boolean isJvmEnding) {
    runs.closeAtEnd(isJvmEnding, false);
    Run late = runs.runStarted("late", "task", "here");
    late.step(1, "act").close();
    late.end(true, null, null);
    assertThat(late.traceId().isPresent()).isEqualTo(!isJvmEnding);
    assertThat(exporter.getFinishedSpanItems()).hasSize(isJvmEnding ? 0 : 2);
  }

  @Test
  void oneIdStartedByManyThreadsAtOnce_leavesNoSpanOpen() throws Exception {
    AtomicInteger open = useCountingSdk();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Stderr stderr = new Stderr()) {
      for (int i = 0; i < 200; i++) {
        String id = "run " + i;
        CyclicBarrier together = new CyclicBarrier(4);
        Callable<Run> start =
            () -> {
              together.await();
              return runs.runStarted(id, "task", "here");
            };
        List<Run> started = new ArrayList<>();
        for (Future<Run> run : threads.invokeAll(Collections.nCopies(4, start))) {
          started.add(run.get());
        }
        assertThat(started).allMatch(run -> run == started.get(0));
        started.get(0).end(true, null, null);
      }
    } finally {
      threads.shutdown();
    }
    assertThat(open).hasValue(0);
    assertThat(runs.ignored()).as("started twice").isEqualTo(600);
  }

  /** Like a processor of the application's that starts the same run. */
  @Test
  void idStartedWhileItIsBeingStarted_recordsNothingAndHangsNot() {
    AtomicInteger depth = new AtomicInteger();
    List<Run> inner = new ArrayList<>();
    useSdk(
        new SpanProcessor() {
          @Override
          public void onStart(Context parent, ReadWriteSpan span) {
            if (depth.getAndIncrement() == 0) {
              inner.add(runs.runStarted("run", "task", "here"));
            }
          }

          @Override
          public boolean isStartRequired() {
            return true;
          }

          @Override
          public void onEnd(ReadableSpan span) {}

          @Override
          public boolean isEndRequired() {
            return false;
          }
        });
    Run run = runs.runStarted("run", "task", "here");
    assertThat(run.traceId()).isPresent();
    assertThat(inner).singleElement().satisfies(i -> assertThat(i.traceId()).isEmpty());
    run.end(true, null, null);
    assertThat(runs.openRuns()).isZero();
  }

  private static AtomicInteger useCountingSdk() {
    AtomicInteger open = new AtomicInteger();
    useSdk(
        new SpanProcessor() {
          @Override
          public void onStart(Context parent, ReadWriteSpan span) {
            open.incrementAndGet();
          }

          @Override
          public boolean isStartRequired() {
            return true;
          }

          @Override
          public void onEnd(ReadableSpan span) {
            open.decrementAndGet();
          }

          @Override
          public boolean isEndRequired() {
            return true;
          }
        });
    return open;
  }

  private static void useSdk(SpanProcessor processor) {
    GlobalOpenTelemetry.resetForTest();
    OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(processor).build())
        .buildAndRegisterGlobal();
  }
}
