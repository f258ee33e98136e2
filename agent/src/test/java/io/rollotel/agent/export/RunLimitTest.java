package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.span.Thinning;
import io.rollotel.traces.file.RunBytes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The warnings for a run that makes too many spans, and its sampling level. */
class RunLimitTest {

  /** A span is thought to take 600 bytes, so 1,000 of them fill it. */
  private static final long LIMIT_BYTES = 600_000;

  private @TempDir Path directory;
  private final Thinning thinning = new Thinning(new Ledger());
  private final RunLimit limit = new RunLimit(thinning);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "98, 40 | 2, 9000 | parse makes 98 % of this process's spans, 40 ns each: do not trace it",
        "98, 40000 | 2, 9 | parse makes 98 % of this process's spans, 40 µs each: do not trace it",
        "98, 2000000000 | 2, 9 | parse makes 98 % of this process's spans, 2.000 s each",
        "40, 40 | 60, 700 | store makes 60 % of this process's spans, 700 ns each: do not trace it",
      })
  void firstLevel_isOneWarningThatNamesTheMethodWithMostSpans(
      String parse, String store, String said) throws Exception {
    thinning.rootBegins();
    try (Stderr stderr = new Stderr()) {
      count("parse", parse);
      count("store", store);
      follow(500);
      follow(750);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("585.9 KiB", "ROLL_OTEL_RUN_BYTES", "one new trace in 2 is recorded")
          .endsWith("; " + said);
    }
    assertThat(thinning.halvings()).isEqualTo(3);
  }

  @Test
  void hardlyAnyRoom_isSaidWithoutANumber() throws Exception {
    Path traces = Files.createDirectories(directory.resolve("traces"));
    Files.write(traces.resolve("traces.jsonl"), new byte[(int) LIMIT_BYTES - 100]);
    thinning.rootBegins();
    try (Stderr stderr = new Stderr()) {
      follow(1);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("from now on hardly any new trace is recorded, since there is no room");
    }
  }

  @Test
  void processThatBeginsNoTraces_warnsOnlyWhenItDoes() {
    try (Stderr stderr = new Stderr()) {
      follow(500);
      follow(750);
      assertThat(stderr.lines()).isEmpty();
      thinning.rootBegins();
      follow(750);
      follow(850);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("one new trace in 8 is recorded");
    }
  }

  @Test
  void processThatBeginsNoTraces_saysTheLevelAndItsLoudestMethodAtInfo() {
    AgentLog.setLevel("info");
    try (Stderr stderr = new Stderr()) {
      count("parse", "10, 40");
      follow(500);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("one trace in 2 that begins here is taken; parse makes 100 %");
    } finally {
      AgentLog.setLevel(null);
    }
  }

  @Test
  void queueThatGoesUpAndDown_lowersTheLevelOnlyWhereThereIsRoomToSpare() {
    follow(750);
    assertThat(thinning.halvings()).isEqualTo(3);
    follow(700);
    assertThat(thinning.halvings()).isEqualTo(3);
    follow(500);
    assertThat(thinning.halvings()).isEqualTo(1);
    follow(450);
    assertThat(thinning.halvings()).isEqualTo(1);
    follow(300);
    assertThat(thinning.halvings()).isZero();
  }

  @Test
  void namesWithoutEnd_areNotAllKept() {
    for (int i = 0; i < 3_000; i++) {
      count("name" + i, "1, 10");
    }
    assertThat(limit.names()).isEqualTo(1_000);
  }

  private void follow(int waitingSpans) {
    limit.follow(
        RunBytes.ofRun(directory.toFile(), new RunBytes.Terms(0, LIMIT_BYTES)), waitingSpans);
  }

  private void count(String name, String numberAndNanos) {
    String[] parts = numberAndNanos.split(", ");
    List<SpanData> batch = new ArrayList<>();
    try (SdkTracerProvider provider = SdkTracerProvider.builder().build()) {
      for (int i = 0; i < Integer.parseInt(parts[0]); i++) {
        ReadableSpan span =
            (ReadableSpan)
                provider
                    .get("test")
                    .spanBuilder(name)
                    .setStartTimestamp(1_000_000_000, TimeUnit.NANOSECONDS)
                    .startSpan();
        ((Span) span).end(1_000_000_000 + Long.parseLong(parts[1]), TimeUnit.NANOSECONDS);
        batch.add(span.toSpanData());
      }
    }
    limit.count(batch);
  }
}
