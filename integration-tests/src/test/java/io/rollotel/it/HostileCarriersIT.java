package io.rollotel.it;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever a payload holds, the application does not notice. The cases are generated, and the seed
 * is printed.
 */
class HostileCarriersIT {

  private static final int CASES = 2000;

  private @TempDir Path directory;

  @Test
  void hostileCarrier_isNeitherNoticedNorRetained() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    Result result =
        ProgramRun.of(directory, HostileCarriersWorker.class, Long.toString(seed), "" + CASES)
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .telemetry()
            .jvmOptions("-Xmx256m")
            .environment("OTEL_BSP_MAX_QUEUE_SIZE", "100000")
            .run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines())
        .as("-Dseed=%s", seed)
        .contains("good " + CASES, "retained 0")
        .noneMatch(line -> line.contains("threw") || line.contains("changed"));
    result.isCleanBut(
        "a payload's meta_info cannot be written",
        "_otel_ctx holds no valid trace context",
        "calls come from run "); // of maps with the same text under every key

    Map<String, Span> spans =
        result.spans().stream()
            .filter(span -> !span.attributes().getOrDefault("case", "").equals(""))
            .collect(toMap(span -> span.attributes().get("case").toString(), span -> span));
    long told =
        result.lines().stream()
            .filter(line -> line.startsWith("case "))
            .peek(line -> becameWhatItSays(line.split(" ", 3), spans, seed))
            .count();
    assertThat(told).as("cases whose outcome is known").isGreaterThan(CASES / 4);
  }

  private static void becameWhatItSays(String[] line, Map<String, Span> spans, long seed) {
    Span span = spans.get(line[1]);
    String became =
        span == null
            ? "suppressed"
            : span.parentSpanId().isEmpty() ? "root" : span.traceId() + " " + span.parentSpanId();
    assertThat(became).as("-Dseed=%s, case %s", seed, line[1]).isEqualTo(line[2]);
  }
}
