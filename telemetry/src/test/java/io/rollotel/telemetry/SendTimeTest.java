package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.epochNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.rollotel.telemetry.internal.Propagation;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The time at which the sender dispatched, beside the headers. */
class SendTimeTest extends SdkFixture {

  @Test
  void sentAt_isReadAsItWasWritten() {
    long before = Propagation.epochNanos();
    Map<String, Object> metaInfo = TraceContext.inject(new HashMap<>());
    long sentAt = Propagation.sentAtEpochNanos(Propagation.carrier(metaInfo));
    assertThat(sentAt).isBetween(before, Propagation.epochNanos());
    assertThat(BigInteger.valueOf(before)).isLessThanOrEqualTo(epochNanos());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("carriersWithoutSendTime")
  void sentAtOfNonsense_isNotThere(String what, Object carrier) {
    assertThat(Propagation.sentAtEpochNanos(carrier)).isZero();
  }

  static Stream<Arguments> carriersWithoutSendTime() {
    return Stream.of(
        arguments("null", null),
        arguments("no map", "1"),
        arguments("no key", Map.of("traceparent", TRACEPARENT)),
        arguments("a number", Map.of("roll.sent_at", 17L)),
        arguments("empty", Map.of("roll.sent_at", "")),
        arguments("no number", Map.of("roll.sent_at", "yesterday")),
        arguments("a fraction", Map.of("roll.sent_at", "1.5")),
        arguments("too large", Map.of("roll.sent_at", "9223372036854775808")),
        arguments("giant", Map.of("roll.sent_at", "9".repeat(5_000_000))),
        arguments("map that throws", new ThrowingMap<>(IllegalStateException::new)),
        arguments("map that recurses", new ThrowingMap<>(StackOverflowError::new)),
        arguments("TreeMap of integers", new TreeMap<>(Map.of(1, "1"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-9223372036854775808", "-1"})
  void sentAtBeforeTheEpoch_isNotThere(String sentAt) {
    assertThat(Propagation.sentAtEpochNanos(Map.of("roll.sent_at", sentAt))).isZero();
  }
}
