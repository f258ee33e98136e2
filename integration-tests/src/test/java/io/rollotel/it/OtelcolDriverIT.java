package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real otelcol in the place of the embedded collector. */
@Tag("engines")
class OtelcolDriverIT {

  private @TempDir Path directory;

  @Test
  void driverOnWhosePathOtelcolIs_collectsWithItAndKeepsTheLastRun() throws Exception {
    for (int run = 1; run <= 2; run++) {
      Result result = driver(PlainWorker.class).environment("ROLL_OTEL_COLLECTOR", "auto").run();
      assertThat(result.said()).anyMatch(line -> line.contains("otelcol stopped"));
      assertThat(result.spans()).hasSize(2 * run);
    }
    Path traces = directory.resolve("output/otlp/traces");
    assertThat(traces.resolve("otelcol.log")).content().contains("Everything is ready");
    try (var files = Files.list(traces)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .as("no process had to keep a span itself")
          .containsExactlyInAnyOrder("traces.jsonl", "otelcol.yaml", "otelcol.log", ".driver.lock");
    }
    awaitNoOtelcol();
  }

  @Test
  void driverThatIsKilled_takesOtelcolAlong() throws Exception {
    try (LiveProgram driver = driver(AttachedWorker.class).start()) {
      driver.await("= ready");
      driver.ask("call");
      awaitAddress(driver);
      assertThat(otelcols()).hasSize(1);
    }
    awaitNoOtelcol();
  }

  @Test
  void otelcolThatIsKilled_isStartedAgainAndNothingIsLost() throws Exception {
    try (LiveProgram driver = driver(AttachedWorker.class).start()) {
      driver.await("= ready");
      driver.ask("call");
      awaitAddress(driver);
      ProcessHandle first = otelcols().get(0);
      first.destroyForcibly();
      first.onExit().get(Patience.MINUTES, TimeUnit.MINUTES);
      driver.ask("call");
      assertThat(driver.end())
          .anyMatch(line -> line.contains("otelcol ended with 137 and is started again"));
    }
    assertThat(ProgramRun.Result.spans(directory.resolve("output/otlp")))
        .as("three methods, called by main and twice by us")
        .hasSize(9);
    awaitNoOtelcol();
  }

  private ProgramRun driver(Class<?> program) throws Exception {
    return ProgramRun.of(directory, program)
        .environment("PATH", otelcol().getParent() + File.pathSeparator + "/usr/bin:/bin")
        .environment("ROLL_OTEL_COLLECTOR", "otelcol")
        .environment("ROLL_OTEL_LOG", "info");
  }

  private void awaitAddress(LiveProgram driver) throws Exception {
    Path address = directory.resolve("output/otlp/traces/.driver");
    Patience.until(
        () -> "the driver's address is there; said: " + driver.err(),
        driver.handle(),
        () -> Files.exists(address) && Files.readString(address).contains("endpoint"));
  }

  private void awaitNoOtelcol() throws Exception {
    Patience.until(() -> "otelcol ends with its driver: " + otelcols(), () -> otelcols().isEmpty());
  }

  private List<ProcessHandle> otelcols() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().command().orElse("").equals(otelcol().toString()))
        .filter(process -> process.info().commandLine().orElse("").contains(directory.toString()))
        .toList();
  }

  static Path otelcol() {
    return Engines.folder("otelcol", "otelcol.yaml").resolve("otelcol/otelcol");
  }
}
