package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Applications with an OpenTelemetry that the agent cannot join, or joins in a special way. */
class OtherOpenTelemetryIT {

  private static final String NEWEST = System.getProperty("opentelemetry.newest");

  private @TempDir Path directory;

  @Test
  void apiThatIsTooOld_isOneWarningAndTheApplicationsSdkWorksOn() throws Exception {
    Result result =
        ProgramRun.of(directory, OwnSdkWorker.class, "before")
            .openTelemetry(System.getProperty("opentelemetry.tooOld"), true)
            .run();

    result.isCleanBut("the application's opentelemetry-api does not fit the agent");
    assertThat(result.said()).hasSize(1);
    assertThat(result.lines()).hasSize(3).endsWith("done");
    assertThat(result.lines().get(0)).startsWith("exported second of ");
    assertThat(result.lines().get(1)).startsWith("exported unwanted of ");
    Span worker = result.span("worker.train");
    assertThat(worker.traceId()).as("by the agent's own copy").isEqualTo(Payload.TRACE_ID);
    assertThat(result.spans()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"registered", "automatic"})
  void ownSdk_getsTheWorkerSpansAndIsSuppressed(String way) throws Exception {
    Path services = directory.resolve("services/META-INF/services");
    Files.createDirectories(services);
    Files.writeString(
        services.resolve(
            "io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider"),
        PrintingCustomizer.class.getName());

    Result result =
        ProgramRun.of(directory, OwnSdkWorker.class, way)
            .openTelemetry(NEWEST, true)
            .autoconfigure()
            .classPath(directory.resolve("services"))
            .jvmOptions(
                "-Dotel.java.global-autoconfigure.enabled=" + way.equals("automatic"),
                "-Dotel.traces.exporter=none",
                "-Dotel.metrics.exporter=none",
                "-Dotel.logs.exporter=none")
            .run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.said()).isEmpty();
    assertThat(result.lines())
        .containsExactly(
            "exported second of " + Payload.TRACE_ID,
            "exported worker.train of " + Payload.TRACE_ID,
            "done");
    assertThat(directory.resolve("output")).as("nothing of ours was started").doesNotExist();
  }

  @Test
  void ownSdkThatIsNotRegistered_sharesTheContextAndKeepsItsSpans() throws Exception {
    Result result =
        ProgramRun.of(directory, OwnSdkWorker.class, "kept")
            .openTelemetry(NEWEST, true)
            .run()
            .isClean();

    assertThat(result.lines())
        .hasSize(3)
        .startsWith("exported second of " + Payload.TRACE_ID)
        .endsWith("done");
    assertThat(result.lines().get(1)).as("the limit").startsWith("exported unwanted of ");
    Span worker = result.span("worker.train");
    assertThat(worker.parentSpanId()).isEqualTo(Payload.SPAN_ID);
    assertThat(result.spans()).hasSize(1);
  }
}
