package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.carrying;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.telemetry.internal.Propagation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Payloads that hold wrong types or giant texts, and maps that throw. */
class HostileCarrierTest extends SdkFixture {

  @ParameterizedTest(name = "{0}")
  @MethodSource("nonsense")
  void extractOfNonsense_givesRootAndCountsIt(String what, Map<String, ?> metaInfo) {
    long before = TraceContext.ignored();
    // What is current must not shine through either.
    try (Scope scope = startSpan("current").makeCurrent()) {
      assertThat(TraceContext.extract(metaInfo)).isSameAs(Context.root());
    }
    assertThat(TraceContext.ignored()).isEqualTo(before + 1);
  }

  static Stream<Arguments> nonsense() {
    List<Arguments> all = new ArrayList<>();
    Map<String, Object> wrongCarriers = new TreeMap<>();
    wrongCarriers.put("a string", TRACEPARENT);
    wrongCarriers.put("a number", 42);
    wrongCarriers.put("a list", List.of(TRACEPARENT));
    wrongCarriers.put("an array", new Object[] {"traceparent", TRACEPARENT});
    wrongCarriers.put("bytes", TRACEPARENT.getBytes(UTF_8));
    wrongCarriers.put("an object", new Object());
    wrongCarriers.put("a giant string", "x".repeat(20_000_000));
    wrongCarriers.put("a map that throws", new ThrowingMap<>(IllegalStateException::new));
    wrongCarriers.put("a map that recurses", new ThrowingMap<>(StackOverflowError::new));
    wrongCarriers.put("a TreeMap of integers", new TreeMap<>(Map.of(1, TRACEPARENT)));
    wrongCarriers.forEach(
        (what, carrier) -> all.add(arguments("carrier: " + what, Map.of("_otel_ctx", carrier))));

    Map<String, Object> wrongValues = new TreeMap<>();
    wrongValues.put("a number", 42);
    wrongValues.put("a list of a list", List.of(List.of(TRACEPARENT)));
    wrongValues.put("an empty list", List.of());
    wrongValues.put("characters", TRACEPARENT.toCharArray());
    wrongValues.put("bytes", TRACEPARENT.getBytes(UTF_8));
    wrongValues.put("a builder", new StringBuilder(TRACEPARENT));
    wrongValues.put("a giant string", TRACEPARENT + "0".repeat(20_000_000));
    wrongValues.put(
        "a giant string of a later version",
        "cc" + TRACEPARENT.substring(2) + "-" + "0".repeat(20_000_000));
    wrongValues.put("null", null);
    wrongValues.put("empty", "");
    wrongValues.forEach(
        (what, value) -> all.add(arguments("traceparent: " + what, carrying(value))));

    Map<String, Object> cyclic = new HashMap<>();
    cyclic.put("traceparent", cyclic);
    cyclic.put("_otel_ctx", cyclic);
    all.add(arguments("cyclic map", cyclic));

    all.add(arguments("meta_info throws", new ThrowingMap<>(IllegalStateException::new)));
    all.add(arguments("meta_info recurses", new ThrowingMap<>(StackOverflowError::new)));
    // Its comparator takes the keys for numbers.
    TreeMap<String, Object> byNumber = new TreeMap<>(Comparator.comparing(Integer::valueOf));
    byNumber.put("1", TRACEPARENT);
    all.add(arguments("meta_info with a comparator of its own", byNumber));
    return all.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("callsOnForeignMap")
  void foreignMapThatThrowsAnError_neverReachesTheCaller(
      String what, Function<Map<String, Object>, Object> call) {
    Map<String, Object> lazy = new ThrowingMap<>(() -> new NoClassDefFoundError("acme/Lazy"));
    assertThatCode(() -> call.apply(lazy)).doesNotThrowAnyException();
  }

  /** {@code Thread.stop} may reach a thread that reads a payload. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("callsOnForeignMap")
  void stopOfTheThread_isPassedOn(String what, Function<Map<String, Object>, Object> call) {
    Map<String, Object> slow = new ThrowingMap<>(ThreadDeath::new);
    assertThatExceptionOfType(ThreadDeath.class).isThrownBy(() -> call.apply(slow));
  }

  static Stream<Arguments> callsOnForeignMap() {
    return Stream.of(
        call("inject", TraceContext::inject),
        call("extract", TraceContext::extract),
        call("carrier", Propagation::carrier),
        call("extract of such a carrier", map -> TraceContext.extract(Map.of("_otel_ctx", map))),
        call(
            "attach",
            map -> {
              try (Scope scope = TraceContext.attach(map)) {
                return scope;
              }
            }));
  }

  private static Arguments call(String what, Function<Map<String, Object>, Object> call) {
    return arguments(what, call);
  }

  @Test
  void injectIntoMapWhoseExceptionCannotBePrinted_doesNotThrow() throws Exception {
    Map<String, Object> hostile = new ThrowingMap<>(UnprintableException::new);
    FreshTelemetry fresh = new FreshTelemetry();
    assertThatCode(() -> fresh.call("TraceContext", "inject", Map.class, hostile))
        .doesNotThrowAnyException();
  }

  private static final class UnprintableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }
}
