package io.rollotel.agent.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.span.Thinning;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the traces state that a {@code traceidratio} sampler has taken. */
class TraceIdRatioTest {

  private static final double ALL = 0x1p56;
  private static final Pattern ENTRY = Pattern.compile("th:([0-9a-f]{1,14});rv:([0-9a-f]{14})");

  private final Ledger ledger = new Ledger();
  private final Thinning thinning = new Thinning(ledger);
  private final IdGenerator ids = IdGenerator.random();

  @ParameterizedTest
  @CsvSource({"0.5, 0", "0.3, 0", "0.01, 0", "0.999, 0", "0.3, 2", "0.01, 3", "0.5, 24"})
  void traceThatIsTaken_statesTheShareAndBitsThatAreUniformAboveIt(double ratio, int halvings) {
    thinning.set(halvings);
    SuppressingSampler sampler =
        new SuppressingSampler(
            Sampler.parentBased(Sampler.traceIdRatioBased(ratio)), "" + ratio, ledger, thinning);
    double share = ratio / (1L << halvings);
    double sum = 0;
    int taken = 0;
    for (int i = 0; i < 100_000; i++) {
      SamplingResult result = root(sampler, ids.generateTraceId());
      if (result.getDecision() == SamplingDecision.DROP) {
        continue;
      }
      Matcher entry = ENTRY.matcher(stateOf(result));
      assertThat(entry.matches()).as(stateOf(result)).isTrue();
      long threshold = Long.parseLong((entry.group(1) + "0".repeat(14)).substring(0, 14), 16);
      long random = Long.parseLong(entry.group(2), 16);
      assertThat(random).isGreaterThanOrEqualTo(threshold);
      assertThat(1 - threshold / ALL).isCloseTo(share, within(share * 1e-6));
      taken++;
      sum += (random - threshold) / (ALL - threshold);
    }
    double expected = 100_000 * share;
    assertThat((double) taken).isCloseTo(expected, within(6 * Math.sqrt(expected) + 1));
    if (taken > 100) {
      assertThat(sum / taken).isCloseTo(0.5, within(6 * 0.29 / Math.sqrt(taken)));
    }
  }

  static Stream<Arguments> samplers() {
    return Stream.of(
        Arguments.of(Sampler.traceIdRatioBased(0.25), null, "th:c"),
        Arguments.of(Sampler.parentBased(Sampler.traceIdRatioBased(0.25)), null, "th:c"),
        // Too small for the six decimals of its description.
        Arguments.of(Sampler.traceIdRatioBased(0x1p-24), "5.9604644775390625e-8", "th:ffffff"),
        Arguments.of(Sampler.traceIdRatioBased(0x1p-24), null, null),
        // The setting is not the one that made the sampler.
        Arguments.of(Sampler.traceIdRatioBased(0.25), "0.5", "th:c"),
        Arguments.of(Sampler.traceIdRatioBased(0.25), "a quarter", "th:c"),
        Arguments.of(Sampler.traceIdRatioBased(1), "1", null),
        Arguments.of(Sampler.alwaysOn(), "0.25", null),
        Arguments.of(Sampler.parentBased(Sampler.alwaysOn()), "0.25", null),
        // One whose other roots are decided by somebody else.
        Arguments.of(
            Sampler.parentBasedBuilder(Sampler.traceIdRatioBased(0.25))
                .setRemoteParentNotSampled(Sampler.alwaysOn())
                .build(),
            "0.25",
            null));
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void onlyTheSdksRatio_isStated(
      Sampler configured, @Nullable String argument, @Nullable String threshold) {
    SamplingResult result =
        root(
            new SuppressingSampler(configured, argument, ledger, thinning),
            "0af7651916cd43dd0000000000000001");
    assertThat(result.getDecision()).isEqualTo(SamplingDecision.RECORD_AND_SAMPLE);
    assertThat(stateOf(result))
        .isEqualTo(threshold == null ? null : threshold + ";rv:ffffffffffffff");
  }

  @ParameterizedTest
  @CsvSource({
    "0000000000000000, true, c ffffffffffffff",
    "1fffffffffffffff, true, c c0000000000000",
    "2000000000000000, false, -",
    "e000000000000001, true, c c0000000000000",
    "ffffffffffffffff, true, c ffffffffffffff",
    "8000000000000000, true, c ffffffffffffff",
  })
  void edges_areTheSdks(String traceLow, boolean isTaken, String entry) {
    SuppressingSampler sampler =
        new SuppressingSampler(Sampler.traceIdRatioBased(0.25), ledger, thinning);
    SamplingResult result = root(sampler, "0af7651916cd43dd" + traceLow);
    assertThat(result.getDecision() != SamplingDecision.DROP).isEqualTo(isTaken);
    if (isTaken) {
      assertThat(stateOf(result)).isEqualTo("th:" + entry.replace(" ", ";rv:"));
    }
  }

  private static SamplingResult root(SuppressingSampler sampler, String traceId) {
    return sampler.shouldSample(
        Context.root(), traceId, "name", SpanKind.INTERNAL, Attributes.empty(), List.of());
  }

  private static @Nullable String stateOf(SamplingResult result) {
    return result.getUpdatedTraceState(TraceState.getDefault()).get(Thinning.KEY);
  }
}
