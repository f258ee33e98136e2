package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A collector that dies, or hangs, under a worker's load. */
class OutageIT {

  private static final int SPANS_PER_SECOND = 5_000;
  private static final int SECONDS = 10;

  private @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"KILL", "STOP"})
  void collectorAwayForTenSeconds_losesNoSpan(String signal) throws Exception {
    Path dir = directory.resolve("output/otlp");
    Path file = dir.resolve("traces/traces.jsonl");
    CollectProcess collector = CollectProcess.start(dir, 0, 0);
    try (LiveProgram worker =
        ProgramRun.of(directory, SteadyWorker.class, Integer.toString(SPANS_PER_SECOND))
            .environment("ROLL_OTEL_ROLE", "worker")
            .environment("ROLL_OTEL_LOG", "info")
            .start()) {
      worker.await("= ready");
      awaitMoreThan(0, file, worker);
      collector.signal(signal);
      long before = Long.parseLong(worker.ask("made"));
      Patience.until(
          () -> "the worker has gone on for ten seconds: " + worker.err(),
          worker.handle(),
          () -> Long.parseLong(worker.ask("made")) >= before + SECONDS * SPANS_PER_SECOND);
      long length = Files.size(file);
      if (signal.equals("KILL")) {
        collector = CollectProcess.start(dir, collector.httpPort(), collector.grpcPort());
      } else {
        collector.signal("CONT");
      }
      awaitMoreThan(length, file, worker);
      long made = Long.parseLong(worker.ask("stop"));
      List<String> said = worker.end();

      assertThat(said).anyMatch(line -> line.contains(" spans exported, 0 dropped, "));
      List<String> found = Result.spans(dir).stream().map(Span::spanId).toList();
      assertThat(found).doesNotHaveDuplicates().hasSize((int) made);
    } finally {
      collector.close();
    }
  }

  /** The collector in the worker's JVM, and the worker's own file. */
  @ParameterizedTest
  @ValueSource(strings = {"otlp", "file"})
  void directoryDeletedUnderTheRun_isMadeAgainAndWhatComesLaterIsThere(String exporter)
      throws Exception {
    Path dir = directory.resolve("output/otlp");
    Path traces = dir.resolve("traces");
    try (LiveProgram worker =
        ProgramRun.of(directory, SteadyWorker.class, "1000")
            .environment("ROLL_OTEL_EXPORTER", exporter)
            .start()) {
      worker.await("= ready");
      Patience.until(
          () -> "spans in " + traces + ": " + worker.err(),
          worker.handle(),
          () -> Files.isDirectory(traces) && !Result.spans(traces).isEmpty());
      Files.move(dir, directory.resolve("away")); // all of it at once, not file by file
      long gone = Long.parseLong(worker.ask("made"));
      Patience.until(
          () -> "spans in " + traces + ": " + worker.err(),
          worker.handle(),
          () -> Files.isDirectory(traces) && !Result.spans(traces).isEmpty());
      long made = Long.parseLong(worker.ask("stop"));
      List<String> said = worker.end();

      assertThat(said).filteredOn(line -> line.contains("was deleted or moved away")).hasSize(1);
      List<String> found = Result.spans(traces).stream().map(Span::spanId).distinct().toList();
      assertThat((long) found.size()).isGreaterThanOrEqualTo(made - gone);
    }
  }

  @Tag("campaign")
  @Test
  void burstBeforeACollectorThatHangs_endsWithTheProgramAndIsAccountedFor() throws Exception {
    int burst = 200_000;
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
      Result result =
          ProgramRun.of(directory, SteadyWorker.class, Integer.toString(burst), "burst")
              .environment("ROLL_OTEL_LOG", "info")
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "500ms")
              // An hour: whoever waits for the collector does not come to an end in this test.
              .environment("OTEL_EXPORTER_OTLP_TIMEOUT", "3600000")
              .environment(
                  "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + silent.getLocalPort())
              .run();
      assertThat(result.exitCode()).isZero();
      assertThat(result.said()).anyMatch(line -> line.contains(" 0 spans exported, "));
      assertThat(result.spans().size() + result.dropped()).isEqualTo(burst);
    }
  }

  private static void awaitMoreThan(long bytes, Path file, LiveProgram worker) throws Exception {
    Patience.until(
        () -> file + " grows; said: " + worker.err(),
        worker.handle(),
        () -> Files.size(file) > bytes);
  }
}
