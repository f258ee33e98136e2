package io.rollotel.agent.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.span.Thinning;
import io.rollotel.telemetry.internal.Propagation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which traces are taken, and what they say of it. */
class ThinningTest {

  private static final int TRACES = 20_000;

  private final Ledger ledger = new Ledger();
  private final Thinning thinning = new Thinning(ledger);

  @ParameterizedTest
  @CsvSource({
    "1, 8, ff00000000000000, ffffffffffffffff, 00800000000000ff",
    "1, 8, 007fffffffffffff, ff7fffffffffffff, -",
    "2, c, 00c0000000000000, 00bfffffffffffff, -",
    "3, e, 00e0000000000000, 00dfffffffffffff, -",
    "4, f, 00f0000000000000, 00efffffffffffff, -",
    "5, f8, 00f8000000000000, 00f7ffffffffffff, -",
    "24, ffffff, 00ffffff00000000, 00fffffeffffffff, -",
  })
  void threshold_isOpenTelemetrysAndDecides(
      int halvings, String threshold, String one, String another, String third) {
    thinning.set(halvings);
    for (String digits : List.of(one, another, third)) {
      if (!digits.equals("-")) {
        long random = Long.parseUnsignedLong(digits, 16);
        long padded = Long.parseLong((threshold + "0".repeat(14)).substring(0, 14), 16);
        boolean isTaken = (random & 0xff_ffff_ffff_ffffL) >= padded;
        SpanContext above = thinning.rootOf(random);
        assertThat(above != null).as(digits).isEqualTo(isTaken);
        if (above != null) {
          assertThat(above.isValid()).isFalse();
          assertThat(above.getTraceState().get("ot")).isEqualTo("th:" + threshold);
        }
      }
    }
  }

  static Stream<Arguments> samplers() {
    return Stream.of(
        Arguments.of(Sampler.parentBased(Sampler.alwaysOn()), 1.0, "th:c"),
        Arguments.of(Sampler.alwaysOn(), 1.0, "th:c"),
        Arguments.of(Sampler.parentBased(Sampler.traceIdRatioBased(0.5)), 0.5, "th:e;rv:"),
        // The last 56 bits of these ids are all small.
        Arguments.of(
            Sampler.parentBased(Sampler.traceIdRatioBased(0.005)), 0.005, "th:ffae147ae147"));
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void oneTraceInFour_isTakenAsAWhole(Sampler sampler, double share, String entry) {
    int taken = 0;
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setSampler(new SuppressingSampler(sampler, ledger, thinning))
            .build()) {
      Tracer tracer = provider.get("test");
      thinning.set(2);
      int traces = (int) (TRACES / Math.max(share, 0.1));
      for (int i = 0; i < traces; i++) {
        Span root = tracer.spanBuilder("root").startSpan();
        Span child = tracer.spanBuilder("child").setParent(Context.root().with(root)).startSpan();
        SpanContext context = root.getSpanContext();
        assertThat(child.getSpanContext().isSampled()).isEqualTo(context.isSampled());
        assertThat(child.getSpanContext().getTraceState()).isEqualTo(context.getTraceState());
        if (context.isSampled()) {
          taken++;
          assertThat(context.getTraceState().get("ot")).startsWith(entry);
        }
      }
      double expected = traces * share / 4;
      assertThat((double) taken).isCloseTo(expected, within(6 * Math.sqrt(expected)));
    }
  }

  @Test
  void receiver_followsTheCarrierOfATraceThatWasThinnedOut() {
    Sampler usual = Sampler.parentBased(Sampler.alwaysOn());
    try (SdkTracerProvider driver =
            SdkTracerProvider.builder()
                .setSampler(new SuppressingSampler(usual, ledger, thinning))
                .build();
        SdkTracerProvider worker =
            SdkTracerProvider.builder()
                .setSampler(new SuppressingSampler(usual, ledger, new Thinning(ledger)))
                .build()) {
      thinning.set(1);
      for (int i = 0; i < 200; i++) {
        Span root = driver.get("test").spanBuilder("root").startSpan();
        Map<String, Object> metaInfo = new HashMap<>();
        Propagation.put(metaInfo, Context.root().with(root));
        Context received = Propagation.extract(Propagation.carrier(metaInfo), Context.root());
        Span call = worker.get("test").spanBuilder("call").setParent(received).startSpan();
        assertThat(call.isRecording()).isEqualTo(root.isRecording());
        assertThat(call.getSpanContext().getTraceId())
            .isEqualTo(root.getSpanContext().getTraceId());
        assertThat(call.getSpanContext().getTraceState())
            .isEqualTo(root.getSpanContext().getTraceState());
      }
    }
  }

  @Test
  void senderThatIsSampled_isFollowedWhateverTheLevel() {
    thinning.set(24);
    TraceState state = TraceState.builder().put("ot", "th:8").build();
    assertThat(decision(TraceFlags.getSampled(), state)).isEqualTo("RECORD_AND_SAMPLE ot=th:8");
    assertThat(decision(TraceFlags.getDefault(), state)).startsWith("DROP");
    assertThat(ledger.spans()).doesNotContain("thinned out");
  }

  @ParameterizedTest
  @CsvSource({"0, true, false", "0, false, true", "2, true, false", "2, false, true"})
  void traceBegins_onlyWhereThereIsNoSender(int halvings, boolean hasSender, boolean hasRoots) {
    thinning.set(halvings);
    if (hasSender) {
      decision(TraceFlags.getSampled(), TraceState.getDefault());
    } else {
      root(new SuppressingSampler(Sampler.alwaysOn(), ledger, thinning));
    }
    assertThat(thinning.hasRoots()).isEqualTo(hasRoots);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 00ffffffffffffff, true, RECORD_AND_SAMPLE ot=th:c",
    "2, 00bfffffffffffff, true, DROP ot=null",
    "2, 00ffffffffffffff, false, DROP ot=null",
    "0, 00bfffffffffffff, true, RECORD_AND_SAMPLE ot=null",
    "0, 00bfffffffffffff, false, DROP ot=null",
  })
  void parentThatIsNotSampled_endsOnlyTracesOfThisProcess(
      int halvings, String traceLow, boolean isRemote, String decision) {
    thinning.set(24);
    thinning.set(halvings);
    SpanContext parent = notSampled("0af7651916cd43dd" + traceLow, isRemote);
    assertThat(decision(Sampler.alwaysOn(), parent)).isEqualTo(decision);
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void workerThatAsksNoParent_decidesAsTheDriverDid(Sampler sampler, double share, String entry) {
    thinning.set(2);
    IdGenerator ids = IdGenerator.random();
    for (int i = 0; i < 1_000; i++) {
      String traceId = ids.generateTraceId();
      SamplingResult driver = root(new SuppressingSampler(sampler, ledger, thinning), traceId);
      if (driver.getDecision() == SamplingDecision.DROP) {
        assertThat(decision(sampler, notSampled(traceId, true))).startsWith("DROP");
      }
    }
  }

  @Test
  void samplerWithAThresholdOfItsOwn_isLeftAlone() {
    TraceState theirs = TraceState.builder().put("ot", "th:4").build();
    SuppressingSampler sampler =
        new SuppressingSampler(
            new Sampler() {
              @Override
              public SamplingResult shouldSample(
                  Context parent,
                  String traceId,
                  String name,
                  SpanKind kind,
                  Attributes attributes,
                  List<LinkData> links) {
                return new SamplingResult() {
                  @Override
                  public SamplingDecision getDecision() {
                    return SamplingDecision.RECORD_AND_SAMPLE;
                  }

                  @Override
                  public Attributes getAttributes() {
                    return Attributes.empty();
                  }

                  @Override
                  public TraceState getUpdatedTraceState(TraceState parents) {
                    return theirs;
                  }
                };
              }

              @Override
              public String getDescription() {
                return "theirs";
              }
            },
            ledger,
            thinning);
    thinning.set(24);
    SamplingResult result = root(sampler);
    assertThat(result.getDecision()).isEqualTo(SamplingDecision.RECORD_AND_SAMPLE);
    assertThat(result.getUpdatedTraceState(TraceState.getDefault())).isEqualTo(theirs);
  }

  @Test
  void traceThatIsThinnedOut_isCountedOnce() {
    SuppressingSampler sampler = new SuppressingSampler(Sampler.alwaysOn(), ledger, thinning);
    thinning.set(24);
    for (int i = 0; i < 10; i++) {
      assertThat(root(sampler).getDecision()).isEqualTo(SamplingDecision.DROP);
    }
    assertThat(ledger.spans()).endsWith("10 traces thinned out (ROLL_OTEL_RUN_BYTES)");
  }

  @Test
  void levelBackAtZero_takesAll() {
    SuppressingSampler sampler = new SuppressingSampler(Sampler.alwaysOn(), ledger, thinning);
    thinning.set(24);
    thinning.set(0);
    SamplingResult result = root(sampler);
    assertThat(result.getDecision()).isEqualTo(SamplingDecision.RECORD_AND_SAMPLE);
    assertThat(result.getUpdatedTraceState(TraceState.getDefault()).isEmpty()).isTrue();
  }

  private static SamplingResult root(SuppressingSampler sampler) {
    return root(sampler, "0af7651916cd43dd8448eb211c80319c");
  }

  private static SamplingResult root(SuppressingSampler sampler, String traceId) {
    return sampler.shouldSample(
        Context.root(), traceId, "name", SpanKind.INTERNAL, Attributes.empty(), List.of());
  }

  private static SpanContext notSampled(String traceId, boolean isRemote) {
    TraceFlags flags = TraceFlags.getDefault();
    TraceState state = TraceState.getDefault();
    return isRemote
        ? SpanContext.createFromRemoteParent(traceId, "b7ad6b7169203331", flags, state)
        : SpanContext.create(traceId, "b7ad6b7169203331", flags, state);
  }

  private String decision(TraceFlags flags, TraceState state) {
    return decision(
        Sampler.parentBased(Sampler.alwaysOn()),
        SpanContext.createFromRemoteParent(
            "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", flags, state));
  }

  private String decision(Sampler sampler, SpanContext parent) {
    SamplingResult result =
        new SuppressingSampler(sampler, ledger, thinning)
            .shouldSample(
                Context.root().with(Span.wrap(parent)),
                parent.getTraceId(),
                "name",
                SpanKind.INTERNAL,
                Attributes.empty(),
                List.of());
    TraceState updated = result.getUpdatedTraceState(parent.getTraceState());
    return result.getDecision() + " ot=" + updated.get("ot");
  }
}
