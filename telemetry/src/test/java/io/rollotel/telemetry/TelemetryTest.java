package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TelemetryTest extends SdkFixture {

  @Test
  void tracer_makesSpansOnTheApplicationsOwnSdk() {
    Telemetry.tracer().spanBuilder("by default").startSpan().end();
    Telemetry.tracer("acme").spanBuilder("by name").startSpan().end();
    assertThat(exporter.getFinishedSpanItems())
        .extracting(span -> span.getInstrumentationScopeInfo().getName() + ": " + span.getName())
        .containsExactly("roll: by default", "acme: by name");
  }

  @Test
  void tracer_childOfTheCurrentSpan() {
    Span parent = startSpan("parent");
    try (Scope scope = parent.makeCurrent()) {
      Telemetry.tracer().spanBuilder("child").startSpan().end();
    }
    assertThat(exporter.getFinishedSpanItems())
        .singleElement()
        .satisfies(
            child ->
                assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanContext().getSpanId()));
  }

  @Test
  void tracerInsideSuppression_doesNothing() {
    try (Scope scope = TraceContext.suppress(Context.root()).makeCurrent()) {
      Tracer tracer = Telemetry.tracer("acme");
      Span span = tracer.spanBuilder("suppressed").setAttribute("key", "value").startSpan();
      assertThat(span.isRecording()).isFalse();
      assertThat(span.getSpanContext().isValid()).isFalse();
      span.end();
    }
    assertThat(exporter.getFinishedSpanItems()).isEmpty();
    Telemetry.tracer("acme").spanBuilder("after").startSpan().end();
    assertThat(exporter.getFinishedSpanItems()).hasSize(1);
  }

  @Test
  void tracerWithNeitherSdkNorAgent_doesNothing() {
    GlobalOpenTelemetry.resetForTest();
    Span span = Telemetry.tracer().spanBuilder("nowhere").startSpan();
    assertThat(span.isRecording()).isFalse();
    span.end();
    assertThat(exporter.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void tracerBeforeTheApplicationSetsItsSdk_leavesTheGlobalUnset() {
    GlobalOpenTelemetry.resetForTest();
    Telemetry.tracer().spanBuilder("early").startSpan().end();
    assertThatCode(() -> GlobalOpenTelemetry.set(OpenTelemetry.noop())).doesNotThrowAnyException();
  }

  @Test
  void globalOfAnOlderApi_isFoundIfSetAndStaysUnsetOtherwise() {
    assertThat(GlobalLookup.ofOlderApi()).isSameAs(GlobalOpenTelemetry.get());
    GlobalOpenTelemetry.resetForTest();
    assertThat(GlobalLookup.ofOlderApi()).isSameAs(OpenTelemetry.noop());
    assertThatCode(() -> GlobalOpenTelemetry.set(OpenTelemetry.noop())).doesNotThrowAnyException();
  }

  static Stream<Arguments> callsWithNull() {
    return Stream.of(
        Arguments.of("init", (Runnable) () -> Telemetry.init(null)),
        Arguments.of("init with an endpoint", (Runnable) () -> Telemetry.init(null, "http://x")),
        Arguments.of("tracer", (Runnable) () -> Telemetry.tracer(null)),
        Arguments.of("inject", (Runnable) () -> TraceContext.inject(null)),
        Arguments.of("inject a context", (Runnable) () -> TraceContext.inject(null, null)),
        Arguments.of("extract", (Runnable) () -> TraceContext.extract(null)),
        Arguments.of("attach", (Runnable) () -> TraceContext.attach(null).close()),
        Arguments.of("suppress", (Runnable) () -> TraceContext.suppress(null)),
        Arguments.of("isSuppressed", (Runnable) () -> TraceContext.isSuppressed(null)),
        Arguments.of(
            "stamp a run", (Runnable) () -> RunTelemetry.builder().build().run("none").stamp(null)),
        Arguments.of("stamp", (Runnable) () -> TraceCorrelation.stamp((Map<String, Object>) null)),
        Arguments.of("stamp Jackson 2", (Runnable) () -> Jackson2Correlation.stamp(null)),
        Arguments.of("stamp Jackson 3", (Runnable) () -> Jackson3Correlation.stamp(null)),
        Arguments.of("fields", (Runnable) () -> TraceCorrelation.fields(null)),
        Arguments.of("link", (Runnable) () -> TraceCorrelation.link(null)),
        Arguments.of(
            "attribute", (Runnable) () -> WorkerSpan.current().set(null, 1).set("key", null)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("callsWithNull")
  void nullGiven_nothingIsThrown(String name, Runnable call) {
    try (Stderr stderr = new Stderr();
        Scope scope = startSpan("current").makeCurrent()) {
      assertThatCode(call::run).doesNotThrowAnyException();
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @NullSource
  @ValueSource(strings = {"", " "})
  void initWithoutAName_isSaid(String name) {
    try (Stderr stderr = new Stderr()) {
      Telemetry.init(name);
      assertThat(stderr.lines())
          .containsExactly(
              "[roll-otel] Telemetry.init was given no service name: the name from elsewhere"
                  + " stays");
    }
  }

  @Test
  void runStampsNull_nothingIsThrown() {
    Run run = RunTelemetry.builder().build().runStarted("run", "task", "here");
    try (Stderr stderr = new Stderr()) {
      assertThatCode(() -> run.stamp(null)).doesNotThrowAnyException();
    }
    run.end(true, null, null);
  }

  @Test
  void nullAsAContext_isTheRoot() {
    assertThat(TraceContext.isSuppressed(null)).isFalse();
    assertThat(TraceContext.isSuppressed(TraceContext.suppress(null))).isTrue();
  }

  @Test
  void initOnce_saysNothing() {
    try (Stderr stderr = new Stderr()) {
      Telemetry.init("trainer");
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void initTwice_warnsAndNamesTheIgnoredOne() {
    try (Stderr stderr = new Stderr()) {
      Telemetry.init("trainer", "http://localhost:4318");
      Telemetry.init("actor", null, "actor-0");
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .startsWith("[roll-otel] ")
          .contains("init", "ignored", "actor");
    }
  }

  @Test
  void initAfterShutdown_isAnotherFirst() {
    try (Stderr stderr = new Stderr()) {
      Telemetry.init("trainer");
      Telemetry.shutdown();
      Telemetry.init("trainer");
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void shutdownWithoutAgent_leavesTheApplicationsSdkAlone() {
    try (Stderr stderr = new Stderr()) {
      Telemetry.shutdown();
      Telemetry.shutdown();
      assertThat(stderr.lines()).isEmpty();
    }
    Telemetry.tracer().spanBuilder("after").startSpan().end();
    assertThat(exporter.getFinishedSpanItems()).hasSize(1);
  }

  @ParameterizedTest(name = "[{0}] is {1}")
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "1,true",
        "true,true",
        "TRUE,true",
        "yes,true",
        "On,true",
        " true ,true",
        "0,false",
        "false,false",
        "no,false",
        "off,false",
        "'',false",
        "2,false",
        "enabled,false"
      })
  void enabled_takesTheAgentsWords(String word, boolean enabled) throws Exception {
    String before = System.setProperty("roll.otel.enabled", word);
    try {
      assertThat(new FreshTelemetry().enabled()).isEqualTo(enabled);
    } finally {
      System.setProperty("roll.otel.enabled", before);
    }
  }
}
