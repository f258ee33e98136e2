package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Baggage in the payload, and attributes that workers set, under the shipped jar. */
class BaggageIT {

  private @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"", "run_id, global_step,nothing"})
  void driversBaggage_reachesTheWorkerAndOnRequestItsSpan(String wanted) throws Exception {
    Result result =
        ProgramRun.of(directory, BaggageWorker.class)
            .telemetry()
            .openTelemetry(System.getProperty("opentelemetry.oldest"), false)
            .environment("ROLL_OTEL_BAGGAGE_ATTRIBUTES", wanted)
            .run()
            .isClean();

    assertThat(result.lines()).containsExactly("baggage r7", "baggage null");
    Map<String, ?> attributes = result.span("worker.generate").attributes();
    if (wanted.isEmpty()) {
      assertThat(attributes.keySet()).doesNotContain("run_id", "global_step");
    } else {
      assertThat(attributes.get("run_id")).isEqualTo("r7");
      assertThat(attributes.get("global_step")).isEqualTo("3");
    }
    assertThat(result.span("worker.plain").attributes().keySet()).doesNotContain("run_id");
  }

  @ParameterizedTest
  @ValueSource(strings = {"oldest", "newest"})
  void whatAWorkerKnows_isOnItsSpanFromWhereverItIsSaid(String version) throws Exception {
    Result result =
        ProgramRun.of(directory, BaggageWorker.class)
            .telemetry()
            .openTelemetry(System.getProperty("opentelemetry." + version), false)
            .run()
            .isClean();

    Map<String, ?> attributes = result.span("worker.generate").attributes();
    assertThat(attributes.get("reward")).isEqualTo(0.25);
    assertThat(attributes.get("rl.reward.score")).isEqualTo(0.25);
    assertThat(attributes.get("rl.sample.task.id")).isEqualTo("t1");
    assertThat(attributes.get("done")).isEqualTo(true);
    assertThat(attributes.get("elsewhere")).isEqualTo(4L);
    assertThat(result.span("by hand").attributes()).isEmpty();
    assertThat(result.spans())
        .allSatisfy(
            span -> assertThat(span.attributes().keySet()).doesNotContain("outside", "suppressed"));
  }
}
