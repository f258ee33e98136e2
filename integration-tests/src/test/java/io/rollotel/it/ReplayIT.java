package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.FreePort;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.file.WaitingFiles;
import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An endpoint that is down for a while, and the spans that the agent sends when it is back. */
class ReplayIT {

  private static final int SPANS_PER_SECOND = 10_000;
  private static final int SECONDS = 5;

  private @TempDir Path directory;

  private Path own() {
    return directory.resolve("output/otlp");
  }

  private Path backend() {
    return directory.resolve("backend");
  }

  @Tag("campaign")
  @Test
  void endpointAwayForSeconds_getsEverySpanAndLiveOnesFirst() throws Exception {
    CollectProcess backend = CollectProcess.start(backend(), 0, 0);
    try (LiveProgram worker = worker(SPANS_PER_SECOND, backend.httpPort())) {
      worker.await("= ready");
      awaitOutage(worker, backend);
      backend = CollectProcess.start(backend(), backend.httpPort(), backend.grpcPort());
      awaitNothingWaits(worker);
      long made = Long.parseLong(worker.ask("stop"));
      List<String> said = worker.end();

      assertThat(said)
          .anyMatch(
              line -> line.matches(".* 0 dropped, [\\d,]+ kept in its own file, .*such files.*"))
          .filteredOn(line -> line.contains(" not delivered "))
          .isEmpty();
      assertThat(found(backend())).hasSize((int) made);
      assertThat(waiting()).isZero();
    } finally {
      backend.close();
    }
  }

  @Tag("campaign")
  @Test
  void processKilledInTheMiddle_leavesTheRestToTheNext() throws Exception {
    CollectProcess backend = CollectProcess.start(backend(), 0, 0);
    try {
      Set<Long> made;
      try (LiveProgram worker = worker(SPANS_PER_SECOND, backend.httpPort())) {
        worker.await("= ready");
        awaitOutage(worker, backend);
        long calls = Long.parseLong(worker.ask("stop"));
        Patience.until(
            () -> "all spans are in the own file or were sent before: " + worker.err(),
            worker.handle(),
            () -> foundInBoth().size() == calls);
        made = foundInBoth();
        backend = CollectProcess.start(backend(), backend.httpPort(), backend.grpcPort());
        Patience.until(() -> "a part is sent: " + worker.err(), worker.handle(), this::isAPartSent);
        worker.kill();
      }
      assertThat(waiting()).isPositive();
      assertThat(found(backend()).size()).isLessThan(made.size());
      Result doctor =
          ProgramRun.of(directory, PlainWorker.class)
              .withoutAgent()
              .jar(ProgramRun.AGENT, "doctor")
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint(backend.httpPort()))
              .environment("ROLL_OTEL_REPLAY", "on")
              .run();
      assertThat(doctor.lines())
          .anyMatch(line -> line.matches("ok    replay     on: \\d+ files? with .* to be sent"));
      try (LiveProgram second = worker(10, backend.httpPort())) {
        second.await("= ready");
        awaitNothingWaits(second);
        second.end();
      }
      made.removeAll(found(backend()));
      assertThat(made).as("missing").isEmpty();
    } finally {
      backend.close();
    }
  }

  @Tag("campaign")
  @Test
  void listOfEndpoints_goesOnWithTheNextAndDoctorAsksEach() throws Exception {
    try (CollectProcess first = CollectProcess.start(directory.resolve("first"), 0, 0);
        CollectProcess second = CollectProcess.start(directory.resolve("second"), 0, 0)) {
      String list =
          String.join(
              ",",
              endpoint(FreePort.find()),
              endpoint(first.httpPort()),
              endpoint(second.grpcPort()));
      try (LiveProgram worker = worker(1_000, list)) {
        worker.await("= ready");
        Path file = directory.resolve("first/traces/traces.jsonl");
        Patience.until(worker::err, worker.handle(), () -> Files.size(file) > 0);
        first.signal("KILL");
        Path next = directory.resolve("second/traces/traces.jsonl");
        Patience.until(worker::err, worker.handle(), () -> Files.size(next) > 0);
        awaitNothingWaits(worker);
        long made = Long.parseLong(worker.ask("stop"));
        List<String> said = worker.end();

        Set<Long> found = found(directory.resolve("first"));
        found.addAll(found(directory.resolve("second")));
        assertThat(found).hasSize((int) made);
        assertThat(said)
            .anyMatch(line -> line.contains(endpoint(first.httpPort()) + "/v1/traces: "));
      }
      Result doctor =
          ProgramRun.of(directory, PlainWorker.class)
              .withoutAgent()
              .jar(ProgramRun.AGENT, "doctor")
              .environment("OTEL_EXPORTER_OTLP_ENDPOINT", list)
              .run();
      assertThat(doctor.lines())
          .anyMatch(line -> line.startsWith("FAIL  export     " + endpoint(first.httpPort())))
          .anyMatch(line -> line.startsWith("ok    export     " + endpoint(second.grpcPort())));
    }
  }

  @Test
  void keptRuns_areTheYoungestEachWithItsFiles() throws Exception {
    for (int i = 1; i <= 4; i++) {
      int run = i;
      try (LiveProgram program =
          ProgramRun.of(directory, SteadyWorker.class, "100")
              .environment("ROLL_OTEL_KEEP_RUNS", "2")
              .environment("ROLL_OTEL_RUN_ID", "run" + run)
              .start()) {
        program.await("= ready");
        Patience.until(
            () -> runs() + " in the directory: " + program.err(),
            program.handle(),
            () ->
                runs().equals(run == 1 ? Set.of("run1") : Set.of("run" + (run - 1), "run" + run))
                    // It says so after it has removed the files.
                    && (run < 3 || program.err().contains("removed ")));
        List<String> said = program.end();
        assertThat(said).hasSize(run < 3 ? 0 : 1);
        assertThat(said).allMatch(line -> line.contains("removed 1 run (run" + (run - 2) + "): "));
      }
    }
    Result cleaned =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutAgent()
            .jar(ProgramRun.AGENT, "clean", own().toString(), "--keep-runs=1")
            .run();
    assertThat(cleaned.out()).startsWith("removed 1 run (run3): ");
    assertThat(runs()).containsExactly("run4");
  }

  /** As a note says, beside a file that was set aside. */
  private boolean isAPartSent() throws Exception {
    try (DirectoryStream<Path> notes =
        Files.newDirectoryStream(own().resolve("traces"), "*.jsonl.sent")) {
      for (Path note : notes) {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(note))) {
          if (in.readLong() > 0) {
            return true;
          }
        } catch (EOFException | NoSuchFileException justWrittenOrAllSent) {
          // Another one may tell.
        }
      }
    }
    return false;
  }

  private Set<String> runs() throws Exception {
    Set<String> runs = new HashSet<>();
    try {
      new TracesReader().read(own(), span -> runs.add(span.resource().text("roll.run_id")));
    } catch (NoSuchFileException notYet) {
      // The run has just begun.
    }
    return runs;
  }

  private LiveProgram worker(int spansPerSecond, int port) throws Exception {
    return worker(spansPerSecond, endpoint(port));
  }

  private LiveProgram worker(int spansPerSecond, String endpoint) throws Exception {
    return ProgramRun.of(directory, SteadyWorker.class, Integer.toString(spansPerSecond))
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .environment("ROLL_OTEL_REPLAY", "on")
        .environment("ROLL_OTEL_LOG", "info")
        .start();
  }

  private static String endpoint(int port) {
    return "http://127.0.0.1:" + port;
  }

  /** Kills the endpoint after it has received spans, and lets the worker continue without it. */
  private void awaitOutage(LiveProgram worker, CollectProcess backend) throws Exception {
    Path file = backend().resolve("traces/traces.jsonl");
    Patience.until(worker::err, worker.handle(), () -> Files.size(file) > 0);
    backend.signal("KILL");
    long before = Long.parseLong(worker.ask("made"));
    Patience.until(
        () -> "the worker goes on: " + worker.err(),
        worker.handle(),
        () -> Long.parseLong(worker.ask("made")) >= before + SECONDS * SPANS_PER_SECOND);
  }

  private void awaitNothingWaits(LiveProgram worker) throws Exception {
    Patience.until(
        () -> waiting() + " files wait: " + worker.err(), worker.handle(), () -> waiting() == 0);
  }

  /** Looks twice: a file that is renamed meanwhile may not be seen. */
  private int waiting() {
    int files = WaitingFiles.count(own().toFile()).files();
    return files != 0 ? files : WaitingFiles.count(own().toFile()).files();
  }

  private Set<Long> foundInBoth() throws Exception {
    Set<Long> found = found(own());
    found.addAll(found(backend()));
    return found;
  }

  private static Set<Long> found(Path where) throws Exception {
    Set<Long> ids = new HashSet<>();
    try {
      new TracesReader().read(where, span -> ids.add(Long.parseUnsignedLong(span.spanId(), 16)));
    } catch (NoSuchFileException none) {
      // Nothing was written there.
    }
    return ids;
  }
}
