package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunTelemetryTest extends SdkFixture {

  private final RunTelemetry runs = RunTelemetry.builder().build();

  private SpanData finished(String name) {
    List<SpanData> named =
        exporter.getFinishedSpanItems().stream().filter(s -> s.getName().equals(name)).toList();
    assertThat(named).as(name).hasSize(1);
    return named.get(0);
  }

  static Stream<Arguments> wrongCalls() {
    return Stream.of(
        wrong("no run id", r -> r.runStarted(null, "task", "here")),
        wrong("no run id", r -> r.runStarted(" ", "task", "here")),
        wrong("no run id", r -> r.runEnded(null, true, "answer", "path")),
        wrong("unknown run", r -> r.runEnded("nobody", true, "answer", "path")),
        wrong("unknown run", r -> r.step("nobody", 1, "act").reward(1).close()),
        wrong(
            "started twice",
            r -> {
              r.runStarted("twice", "task", "here");
              r.runStarted("twice", "task", "here").end(true, null, null);
            }),
        wrong(
            "ended twice",
            r -> {
              Run run = r.runStarted("over", "task", "here");
              run.end(true, null, null);
              run.end(false, "another", "path");
            }),
        wrong(
            "unknown run",
            r -> {
              Run run = r.runStarted("over", "task", "here");
              run.end(true, null, null);
              run.step(1, "late").close();
            }),
        wrong("not a number", r -> step(r).reward(Double.NaN).close()),
        wrong("not a number", r -> step(r).reward(Double.POSITIVE_INFINITY).close()),
        wrong("not a number", r -> step(r).cumulativeReward(Double.NEGATIVE_INFINITY).close()),
        wrong("not a number", r -> r.runStarted("run", "task", "here").totals(1, Double.NaN)),
        wrong(
            "totals after end",
            r -> {
              Run run = r.runStarted("over", "task", "here");
              run.end(true, null, null);
              run.totals(3, 1.5);
            }),
        wrong(
            "step after end",
            r -> {
              RunStep step = step(r);
              step.close();
              step.close();
              step.output("late");
            }),
        wrong(
            "step left open",
            r -> {
              Run run = r.runStarted("run", "task", "here");
              RunStep step = run.step(1, "act");
              run.end(true, null, null);
              step.close();
            }));
  }

  private static Arguments wrong(String said, Consumer<RunTelemetry> calls) {
    return Arguments.of(said, calls);
  }

  private static RunStep step(RunTelemetry runs) {
    return runs.runStarted("run", "task", "here").step(1, "act");
  }

  @ParameterizedTest(name = "{index} {0}")
  @MethodSource("wrongCalls")
  void callsThatCannotBeRight_areCountedAndSaidOnce(String said, Consumer<RunTelemetry> calls) {
    try (Stderr stderr = new Stderr()) {
      for (int i = 0; i < 3; i++) {
        assertThatCode(() -> calls.accept(runs)).doesNotThrowAnyException();
        runs.close();
      }
      assertThat(runs.ignored()).isEqualTo(3);
      assertThat(runs.status().detail()).endsWith("ignored or corrected: 3 " + said);
      assertThat(stderr.lines().stream().filter(line -> line.contains("logged once"))).hasSize(1);
    }
    assertThat(Span.current().getSpanContext().isValid()).isFalse();
  }

  /** A program may build one for each of its runs. */
  @Test
  void manyRunTelemetries_sayEachTroubleOnceAndCountTheirOwn() {
    try (Stderr stderr = new Stderr()) {
      for (int i = 0; i < 50; i++) {
        RunTelemetry one = RunTelemetry.builder().build();
        step(one).reward(Double.NaN).close();
        one.close();
        assertThat(one.status().detail()).endsWith("ignored or corrected: 1 not a number");
      }
      assertThat(stderr.lines())
          .satisfiesExactly(
              line -> assertThat(line).contains("not a finite number was left out"),
              line ->
                  assertThat(line)
                      .endsWith("run run was never ended; it was closed with what is known of it"));
    }
  }

  @Test
  void stepLeftOpen_isNamed() {
    Run run = runs.runStarted("run-17", "task", "here");
    run.step(3, "act");
    try (Stderr stderr = new Stderr()) {
      run.end(true, null, null);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("still open when its run ended", "try-with-resources: step 3 of run run-17 (");
    }
  }

  @ParameterizedTest
  @MethodSource("rewards")
  void rewardOfAStep_isTheLastThatIsANumber(String expected, Consumer<RunStep> calls) {
    RunStep step = step(runs);
    calls.accept(step);
    step.close();
    String attributes = finished("rlm.step").getAttributes().asMap().toString();
    if (expected.isEmpty()) {
      assertThat(attributes).doesNotContain("rlm.reward=");
    } else {
      assertThat(attributes).contains("rlm.reward=" + expected);
    }
  }

  static Stream<Arguments> rewards() {
    return Stream.of(
        reward("0.0", s -> {}),
        reward("0.5", s -> s.reward(0.5).cumulativeReward(Double.NaN)),
        reward("0.5", s -> s.cumulativeReward(Double.NaN).reward(0.5)),
        reward("0.0", s -> s.cumulativeReward(Double.POSITIVE_INFINITY)),
        reward("0.5", s -> s.reward(Double.NaN).reward(0.5)),
        reward("0.5", s -> s.reward(0.5).reward(Double.NaN)),
        reward("", s -> s.reward(Double.NaN)),
        reward("", s -> s.reward(Double.NaN).cumulativeReward(2)));
  }

  private static Arguments reward(String expected, Consumer<RunStep> calls) {
    return Arguments.of(expected, calls);
  }

  @Test
  void nullsEverywhere_areNoTrouble() {
    Run run = runs.runStarted("run", null, null, -1, null);
    run.step(1, null).code(null).output(null).error(null).close();
    run.fail(null);
    assertThat(runs.ignored()).isZero();
    assertThat(finished("rlm.run").getStatus().getDescription()).isEqualTo("Run did not complete");
    assertThat(finished("rlm.step").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
  }

  @Test
  void rewardThatIsNoNumber_isLeftOutAndTheSumStands() {
    Run run = runs.runStarted("run", "task", "here");
    run.step(1, "act").reward(2).close();
    run.step(2, "act").reward(Double.NaN).close();
    run.end(true, null, null);
    List<SpanData> spans = exporter.getFinishedSpanItems();
    assertThat(spans.get(1).getAttributes().asMap().toString())
        .doesNotContain("rlm.reward=")
        .contains("rlm.cumulative_reward=2.0");
    assertThat(spans.get(2).getAttributes().asMap().toString()).contains("rlm.total_reward=2.0");
  }

  @Test
  void totalsAndCumulativeRewardThatAreGiven_win() {
    Run run = runs.runStarted("run", "task", "here");
    run.step(7, "act").reward(1).cumulativeReward(10).close();
    run.step(3, "act").reward(1).close();
    run.totals(12, 99).end(true, null, null);
    assertThat(exporter.getFinishedSpanItems())
        .extracting(span -> span.getAttributes().asMap().toString())
        .satisfiesExactly(
            first -> assertThat(first).contains("rlm.cumulative_reward=10.0", "rlm.step=7"),
            second -> assertThat(second).contains("rlm.cumulative_reward=11.0", "rlm.step=3"),
            all -> assertThat(all).contains("rlm.total_steps=12", "rlm.total_reward=99.0"));
  }

  @Test
  void run_isChildOfWhatIsCurrentAndItsStepsAreCurrentInside() {
    Span outer = startSpan("pipeline_step");
    try (Scope scope = outer.makeCurrent()) {
      Run run = runs.runStarted("run", "task", "here");
      assertThat(Span.current()).isEqualTo(outer);
      try (RunStep step = run.step(1, "act")) {
        startSpan("inside").end();
      }
      assertThat(Span.current()).isEqualTo(outer);
      run.end(true, null, null);
    }
    assertThat(finished("rlm.run").getParentSpanId()).isEqualTo(outer.getSpanContext().getSpanId());
    assertThat(finished("rlm.step").getParentSpanId()).isEqualTo(finished("rlm.run").getSpanId());
    assertThat(finished("inside").getParentSpanId()).isEqualTo(finished("rlm.step").getSpanId());
  }

  @Test
  void stepsClosedInTheOrderOfTheirOpening_leaveNothingCurrent() {
    Run run = runs.runStarted("run", "task", "here");
    RunStep first = run.step(1, "act");
    RunStep second = run.step(2, "act");
    RunStep third = run.step(3, "act");
    second.close();
    first.close();
    third.close();
    assertThat(Context.current()).isEqualTo(Context.root());
    run.end(true, null, null);
  }

  @Test
  void stepClosedOnAnotherThread_isForgottenByItsOwnWithTheNextStep() throws Exception {
    Run run = runs.runStarted("run", "task", "here");
    RunStep abroad = run.step(1, "act");
    Thread other = new Thread(abroad::close);
    other.start();
    other.join();
    try (RunStep next = run.step(2, "act")) {
      assertThat(Span.current().isRecording()).isTrue();
    }
    assertThat(Context.current()).isEqualTo(Context.root());
    assertThat(runs.status().detail()).contains("1 other thread");
    run.end(true, null, null);
    SpanData root = finished("rlm.run");
    assertThat(exporter.getFinishedSpanItems())
        .filteredOn(span -> span.getName().equals("rlm.step"))
        .hasSize(2)
        .allSatisfy(step -> assertThat(step.getParentSpanId()).isEqualTo(root.getSpanId()));
  }

  @Test
  void traceId_isThatOfTheOpenRun() {
    Run run = runs.runStarted("run", "task", "here");
    String traceId = runs.traceId("run").orElseThrow();
    assertThat(traceId).matches("[0-9a-f]{32}");
    assertThat(runs.traceId("another")).isEmpty();
    assertThat(runs.traceId(null)).isEmpty();
    runs.runEnded("run", true, null, null);
    assertThat(runs.traceId("run")).isEmpty();
    assertThat(run.traceId()).contains(traceId);
    assertThat(finished("rlm.run").getTraceId()).isEqualTo(traceId);
  }

  @Test
  void moreOpenRunsThanAllowed_closeTheOldest() {
    RunTelemetry few = RunTelemetry.builder().maxOpenRuns(3).build();
    IntStream.range(0, 10).forEach(i -> few.runStarted("run " + i, "task", "here"));
    assertThat(few.openRuns()).isEqualTo(3);
    assertThat(exporter.getFinishedSpanItems()).hasSize(7);
    assertThat(few.status().detail()).endsWith("7 too many runs");
    few.close();
    assertThat(few.openRuns()).isZero();
    assertThat(exporter.getFinishedSpanItems())
        .hasSize(10)
        .allSatisfy(run -> assertThat(run.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET));
  }

  @Test
  void stepsThatAreNeverClosed_areBoundedToo() {
    Run run = runs.runStarted("run", "task", "here");
    IntStream.range(0, 1_100).forEach(i -> run.step(i, "act"));
    assertThat(exporter.getFinishedSpanItems()).hasSize(1_100 - 1_024);
    run.end(true, null, null);
    assertThat(exporter.getFinishedSpanItems()).hasSize(1_101);
    runs.runStarted("next", "task", "here").step(1, "act").close();
    assertThat(Context.current()).as("nothing of the first run's").isEqualTo(Context.root());
  }

  @Test
  void insideSuppression_aRunHasNoSpan() {
    try (Scope scope = TraceContext.suppress(Context.root()).makeCurrent()) {
      Run run = runs.runStarted("run", "task", "here");
      assertThat(run.traceId()).isEmpty();
      run.step(1, "act").close();
      run.end(true, null, null);
    }
    assertThat(exporter.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void disabled_doesNothingAndSaysSo() {
    RunTelemetry off = RunTelemetry.builder().enabled(false).serviceName("planner").build();
    Run run = off.runStarted("run", "task", "here");
    run.step(1, "act").reward(1).close();
    run.end(true, null, null);
    off.runEnded("nobody", true, null, null);
    assertThat(exporter.getFinishedSpanItems()).isEmpty();
    assertThat(off.status())
        .isEqualTo(new RunStatus("opentelemetry", false, false, "disabled", "planner", true));
  }

  @Test
  void noSdk_isNotAvailableAndNothingHappens() {
    GlobalOpenTelemetry.resetForTest();
    Run run = runs.runStarted("run", "task", "here");
    run.step(1, "act").close();
    assertThat(run.traceId()).as("never zeros").isEmpty();
    run.end(true, null, null);
    assertThat(runs.status().available()).isFalse();
    assertThat(runs.status().detail()).contains("no OpenTelemetry SDK");
  }

  @ParameterizedTest
  @CsvSource({
    "http://me:secret@host:4318, http://host:4318",
    "http://me:se/cr@et@host:4318, http://host:4318",
    "'http://a:1,http://me:s@b:2', 'http://a:1,http://b:2'",
    "'http://me:s,@a:1, https://b:2', 'http://a:1, https://b:2'"
  })
  void status_showsNoPasswordOfTheEndpoint(String endpoint, String shown) {
    assertThat(RunTelemetry.builder().endpoint(endpoint).build().status().detail())
        .isEqualTo(shown);
  }

  @Test
  void status_namesAreTheSeeds() {
    assertThat(
            RunTelemetry.builder().endpoint("http://me:secret@host:4318").build().status().toMap())
        .containsOnlyKeys(
            "name", "enabled", "available", "detail", "service_name", "metrics_enabled")
        .containsEntry("name", "opentelemetry")
        .containsEntry("available", true)
        .containsEntry("detail", "http://host:4318")
        .containsEntry("service_name", "rlm-code");
  }

  @Test
  void blankNameAndEndpoint_areAsIfNotGiven() {
    RunTelemetry blank = RunTelemetry.builder().serviceName(" ").endpoint("").build();
    assertThat(blank.status()).isEqualTo(RunTelemetry.builder().build().status());
  }

  @Test
  void oneIdStartedByManyThreadsAtOnce_isOneRun() throws Exception {
    CyclicBarrier together = new CyclicBarrier(8);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Run>> starts =
          Collections.nCopies(
              8,
              () -> {
                together.await();
                return runs.runStarted("run", "task", "here");
              });
      Set<Run> started = new HashSet<>();
      for (Future<Run> run : threads.invokeAll(starts)) {
        started.add(run.get());
      }
      assertThat(started).hasSize(1);
    } finally {
      threads.shutdown();
    }
    runs.runEnded("run", true, null, null);
    assertThat(finished("rlm.run")).isNotNull();
  }
}
