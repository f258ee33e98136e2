package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is done in a run, outside its steps. */
class RunScopeTest extends SdkFixture {

  private static final String TEMPLATE = "roll.otel.trace.url.template";

  private final RunTelemetry runs = RunTelemetry.builder().build();

  @AfterEach
  void noTemplate() {
    System.clearProperty(TEMPLATE);
  }

  private String parentOf(String name) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .map(SpanData::getParentSpanId)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void runThatIsCurrent_isTheParentOfSpansAndNamesRecords() {
    Run run = runs.runStarted("run", "task", "here");
    Map<String, Object> record;
    try (RunScope scope = run.makeCurrent()) {
      startSpan("tool").end();
      record = TraceCorrelation.stamp(new TreeMap<>());
      try (RunStep step = run.step(1, "act")) {
        startSpan("in step").end();
      }
      startSpan("after step").end();
    }
    assertThat(Context.current()).isEqualTo(Context.root());
    assertThat(record).containsEntry("trace_id", run.traceId().orElseThrow());
    assertThat(parentOf("tool")).isEqualTo(record.get("span_id"));
    assertThat(parentOf("after step")).isEqualTo(record.get("span_id"));
    assertThat(parentOf("in step")).isNotEqualTo(record.get("span_id"));
    run.end(true, null, null);
    assertThat(runs.ignored()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recordStampedByItsRun_namesTheRunWhateverIsCurrent(boolean hasEnded) {
    System.setProperty(TEMPLATE, "http://viewer/{trace_id}?span={span_id}");
    Run run = runs.runStarted("run", "task", "here");
    if (hasEnded) {
      run.end(true, null, null);
    }
    Map<String, Object> record = run.stamp(new TreeMap<>());
    String traceId = run.traceId().orElseThrow();
    assertThat(record)
        .containsOnlyKeys("trace_id", "span_id", "traceparent")
        .containsEntry("trace_id", traceId);
    assertThat(run.link()).contains("http://viewer/" + traceId + "?span=" + record.get("span_id"));
    run.close();
    assertThat(exporter.getFinishedSpanItems())
        .extracting(SpanData::getSpanId)
        .containsExactly((String) record.get("span_id"));
  }

  @Test
  void scopesAndStepsClosedInAnyOrder_leaveNothingCurrent() {
    Run run = runs.runStarted("run", "task", "here");
    Run other = runs.runStarted("other", "task", "here");
    RunScope first = run.makeCurrent();
    RunStep step = run.step(1, "act");
    RunScope second = other.makeCurrent();
    first.close();
    first.close();
    step.close();
    assertThat(Span.current().getSpanContext().getTraceId())
        .isEqualTo(other.traceId().orElseThrow());
    second.close();
    assertThat(Context.current()).isEqualTo(Context.root());
    run.end(true, null, null);
    other.end(true, null, null);
    assertThat(runs.ignored()).isZero();
  }

  @Test
  void scopeClosedOnAnotherThread_isForgottenByItsOwnWithTheNextStep() throws Exception {
    Run run = runs.runStarted("run", "task", "here");
    RunScope abroad = run.makeCurrent();
    Thread other = new Thread(abroad::close);
    other.start();
    other.join();
    run.step(1, "act").close();
    assertThat(Context.current()).isEqualTo(Context.root());
    assertThat(runs.status().detail()).contains("1 other thread");
    run.end(true, null, null);
  }

  @Test
  void runThatHasEnded_isNotMadeCurrent() {
    Run run = runs.runStarted("run", "task", "here");
    run.end(true, null, null);
    try (RunScope scope = run.makeCurrent()) {
      assertThat(Context.current()).isEqualTo(Context.root());
    }
    assertThat(runs.status().detail()).endsWith("1 unknown run");
  }

  @ParameterizedTest
  @CsvSource({"disabled", "no sdk"})
  void runThatIsNotRecorded_stampsNothing(String why) {
    System.setProperty(TEMPLATE, "http://viewer/{trace_id}");
    if (why.equals("no sdk")) {
      GlobalOpenTelemetry.resetForTest();
    }
    RunTelemetry off = RunTelemetry.builder().enabled(!why.equals("disabled")).build();
    Run run = off.runStarted("run", "task", "here");
    try (RunScope scope = run.makeCurrent()) {
      assertThat(run.stamp(new TreeMap<>())).isEmpty();
      assertThat(run.link()).isEmpty();
    }
    run.end(true, null, null);
    assertThat(Context.current()).isEqualTo(Context.root());
    assertThat(off.ignored()).isZero();
  }

  @Test
  void recordThatCannotBeChanged_staysAsItIs() {
    Run run = runs.runStarted("run", "task", "here");
    try (Stderr stderr = new Stderr()) {
      assertThat(run.stamp(Map.<String, Object>of("episode", 1))).containsOnlyKeys("episode");
      assertThat(stderr.lines()).hasSizeLessThanOrEqualTo(1);
    }
    run.end(true, null, null);
  }

  @ParameterizedTest
  @CsvSource({
    "http://viewer/{trace_id}, true",
    "https://viewer/?q={traceparent}, true",
    "' grafana://x/{span_id} ', true",
    "nope, false",
    "http://viewer/, false",
    "{trace_id}, false",
    "http://viewer/{traceid}, false",
  })
  void template_isUsedIfItIsAUrlWithAPlaceholder(String template, boolean isUsed) {
    System.setProperty(TEMPLATE, template);
    Run run = runs.runStarted("run", "task", "here");
    try (Stderr stderr = new Stderr();
        RunScope scope = run.makeCurrent()) {
      assertThat(run.link().isPresent()).isEqualTo(isUsed);
      assertThat(TraceCorrelation.link()).isEqualTo(run.link());
      assertThat(stderr.lines()).as("once in this JVM").hasSizeLessThanOrEqualTo(isUsed ? 0 : 1);
    }
    run.end(true, null, null);
    assertThat(List.of(exporter.getFinishedSpanItems())).hasSize(1);
  }
}
