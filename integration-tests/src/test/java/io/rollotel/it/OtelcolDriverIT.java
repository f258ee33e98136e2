package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.ProgramRun.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real otelcol in the place of the embedded collector. */
@Tag("engines")
@Timeout(180)
class OtelcolDriverIT {

  private @TempDir Path directory;

  @Test
  void driverOnWhosePathOtelcolIs_collectsWithItAndKeepsTheLastRun() throws Exception {
    for (int run = 1; run <= 2; run++) {
      Result result =
          ProgramRun.of(directory, PlainWorker.class)
              .environment("PATH", otelcol().getParent() + File.pathSeparator + "/usr/bin:/bin")
              .environment("ROLL_OTEL_COLLECTOR", "auto")
              .environment("ROLL_OTEL_LOG", "info")
              .run();
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
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (ProcessHandle.allProcesses()
        .anyMatch(process -> process.info().command().orElse("").equals(otelcol().toString()))) {
      assertThat(System.nanoTime()).as("otelcol ends with its driver").isLessThan(deadlineNanos);
      Thread.sleep(50);
    }
  }

  static Path otelcol() {
    String engines = System.getenv("ROLL_OTEL_ENGINES");
    Path folder =
        (engines == null || engines.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache/roll-otel-engines")
                : Path.of(engines))
            .resolve("otelcol");
    assertThat(folder.resolve("otelcol.yaml")).as("run engines/setup").exists();
    return folder.resolve("otelcol/otelcol");
  }
}
