package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.internal.InternalFutureFailureAccess;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SpanEvents;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods that return futures: when their spans end, and with what. */
class FuturesIT {

  private static @TempDir Path directory;
  private static Result result;
  private static Map<String, List<Span>> spans;
  private static Map<String, Span> between;
  private static Map<String, List<String>> exceptions;

  @BeforeAll
  static void run() throws Exception {
    result =
        ProgramRun.of(directory, FutureWorker.class)
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .classPath(
                ProgramRun.jarOf(ListenableFuture.class),
                ProgramRun.jarOf(InternalFutureFailureAccess.class))
            .run();
    spans =
        result.spans().stream()
            .collect(Collectors.groupingBy(span -> span.name().substring("worker.".length())));
    between =
        spans.get("between").stream()
            .collect(
                Collectors.toMap(
                    span -> (String) span.attributes().get("situation"), span -> span));
    exceptions = SpanEvents.exceptions(result);
  }

  @Test
  void returnedObject_isTheSameAndTheContextIsAsBefore() {
    assertThat(result.exitCode()).isZero();
    assertThat(result.lines())
        .hasSize(between.size() + 1)
        .allMatch(line -> line.endsWith(" same=true context=true") || line.startsWith("done true"));
  }

  @Test
  void eachSituation_hasOneSpanBelowTheCaller() {
    String all = spans.get("all").get(0).spanId();
    spans.forEach(
        (name, some) -> {
          if (!List.of("all", "between", "nestedInner").contains(name)) {
            assertThat(some).as(name).hasSize(1);
            assertThat(some.get(0).parentSpanId()).as(name).isEqualTo(all);
          }
        });
    assertThat(between.values()).allMatch(span -> span.parentSpanId().equals(all));
    assertThat(spans.get("nestedInner").get(0).parentSpanId())
        .isEqualTo(spans.get("nestedOuter").get(0).spanId());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "later",
        "stage",
        "minimal",
        "nullValue",
        "subclass",
        "nestedOuter",
        "generic",
        "exceptionally",
        "derived",
        "thrown",
        "expected",
        "cancelled",
        "guavaLater",
        "guavaFails",
        "guavaInterrupted",
        "guavaDerived",
        "guavaCancelled"
      })
  void futureThatCompletesLater_endsTheSpanThen(String name) {
    Span span = spans.get(name).get(0);
    assertThat(span.startEpochNanos()).isLessThanOrEqualTo(between.get(name).startEpochNanos());
    assertThat(span.endEpochNanos()).isGreaterThanOrEqualTo(between.get(name).endEpochNanos());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Complete before they are returned, or no future at all.
        "completed", "failed", "nothing", "throwing", "guavaCompleted", "guavaNothing",
        // Declared as another type, or a future that takes no listener.
        "plainFuture", "futureTask", "declaredSubclass", "object", "guavaSettable", "refusing"
      })
  void everythingElse_endsTheSpanAtReturn(String name) {
    Span span = spans.get(name).get(0);
    assertThat(span.endEpochNanos()).isLessThanOrEqualTo(between.get(name).startEpochNanos());
  }

  @ParameterizedTest
  @ValueSource(strings = {"never", "guavaNever", "untraced"})
  void futureThatNeverCompletes_hasNoSpanAndLeavesNoScope(String name) {
    assertThat(spans).doesNotContainKey(name);
    assertThat(between).as("which is a child of the caller").containsKey(name);
  }

  @ParameterizedTest
  @CsvSource({
    "failed, 2, java.lang.IllegalStateException: mine",
    "exceptionally, 2, java.lang.IllegalStateException: mine",
    "derived, 2, java.lang.IllegalStateException: mine",
    "thrown, 2, java.lang.IllegalStateException: mine",
    "throwing, 2, java.lang.IllegalStateException: mine",
    "expected, 0, java.lang.IllegalStateException: mine",
    "cancelled, 2, java.util.concurrent.CancellationException",
    "guavaFails, 2, java.lang.IllegalStateException: mine",
    "guavaInterrupted, 2, java.lang.IllegalStateException: mine",
    "guavaDerived, 2, java.lang.IllegalStateException: mine",
    "guavaCancelled, 2, java.util.concurrent.CancellationException: Task was cancelled.",
  })
  void futureThatFails_recordsWhatTheUsersCodeThrew(String name, int status, String exception) {
    assertThat(spans.get(name).get(0).statusCode()).isEqualTo(status);
    assertThat(exceptions.get("worker." + name)).containsExactly(exception);
  }

  @Test
  void everyOtherSpan_isNoErrorAndHasNoEvent() {
    List<String> failing =
        exceptions.keySet().stream().map(name -> name.substring("worker.".length())).toList();
    assertThat(failing).hasSize(11);
    assertThat(
            spans.entrySet().stream()
                .filter(entry -> !failing.contains(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream()))
        .allMatch(span -> span.statusCode() == 0);
  }

  @ParameterizedTest
  @CsvSource({"stage, 4096, 4200", "guava, 8000, 8400"})
  void oneFutureOfManyCalls_isAwaitedBySomeThousandSpans(String kind, int least, int most)
      throws Exception {
    Files.createDirectories(directory.resolve(kind));
    Result shared =
        ProgramRun.of(directory.resolve(kind), SharedFutureWorker.class, kind, "20000")
            .classPath(
                ProgramRun.jarOf(ListenableFuture.class),
                ProgramRun.jarOf(InternalFutureFailureAccess.class))
            .environment("OTEL_BSP_MAX_QUEUE_SIZE", "200000")
            .run();

    assertThat(shared.said())
        .singleElement()
        .asString()
        .contains("traced calls return one future again and again");
    assertThat(20_000 - shared.spans().size()).isBetween(least, most);
  }

  @Test
  void futureThatTakesNoListener_isOneLine() {
    assertThat(Stream.of(result.err().split("\n")))
        .singleElement()
        .asString()
        .contains("tracing failed; the application continues", "UnsupportedOperationException");
  }
}
