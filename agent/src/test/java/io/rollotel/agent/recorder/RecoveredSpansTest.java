package io.rollotel.agent.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.HostFiles;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.recording.RecordingLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What readers and drivers do with the files of dead processes. */
class RecoveredSpansTest extends RecorderFixture {

  @Test
  void deadProcess_isRecoveredByTheReaderAndSweptByTheDriver() throws IOException {
    for (long id = 1; id <= 9; id++) {
      start(id);
    }
    for (long id = 2; id <= 9; id++) {
      end(id);
    }
    recorder.exported(new ExportedSpanIds(new long[] {9}));
    Path copy = copy();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    Path run = copy.getParent().getParent();
    Set<String> before = recovered(run, 1);
    assertThat(before).hasSize(7);
    Rendezvous driver = new Rendezvous(run.toFile(), true, true, "r", line -> {}, line -> {});
    assertThat(driver.collector()).isNotNull();
    assertThat(copy).doesNotExist();
    assertThat(copy.resolveSibling("host-1.dead")).exists();
    assertThat(Files.size(copy.resolveSibling("host-1.dead"))).isLessThan(16 << 10);
    driver.close();
    assertThat(recovered(run, 1)).isEqualTo(before);
    assertThat(Files.readAllLines(run.resolve("traces/traces.jsonl"))).hasSize(1);
  }

  @Test
  void deadProcessWithoutOpenSpans_leavesNoFileAfterTheSweep() throws IOException {
    start(1);
    end(1);
    Path copy = copy();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    Path run = copy.getParent().getParent();
    try (Rendezvous driver =
        new Rendezvous(run.toFile(), true, true, "r", line -> {}, line -> {})) {
      assertThat(driver.collector()).isNotNull();
      assertThat(copy.getParent()).isEmptyDirectory();
    }
    assertThat(recovered(run, 0)).containsExactly("0000000000000001");
  }

  @Test
  void liveProcessOfAnotherHost_isWaitedForUntilItHasNoUnsentSpan() throws Exception {
    start(1);
    end(1);
    Path copy = copy();
    Path there = copy.getParent().getParent();
    long patienceNanos = TimeUnit.MINUTES.toNanos(5);
    FutureTask<byte[]> packed =
        new FutureTask<>(() -> HostFiles.pack(there, "r", "mark", patienceNanos, line -> {}));
    new Thread(packed).start();
    assertThat(packed).isNotDone();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    assertThat(packed.get(1, TimeUnit.MINUTES)).isNotEmpty();
  }

  @Test
  void deadProcessOfAnotherHost_comesHome() throws IOException {
    for (long id = 1; id <= 3; id++) {
      start(id);
    }
    end(2);
    end(3);
    Path copy = copy();
    Path there = copy.getParent().getParent();
    Path home = Files.createTempDirectory(copies, "home");
    assertThat(HostFiles.pack(there, "r", "mark", 0, line -> {})).as("it lives").isEmpty();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    assertThat(HostFiles.pack(there, "another", "mark", 0, line -> {})).isEmpty();
    assertThat(copy).as("of another run than that").exists();
    byte[] packed = HostFiles.pack(there, "r", "mark", 0, line -> {});
    assertThat(HostFiles.unpack(packed, home, RunBytes.UNLIMITED).files()).isEqualTo(2);
    assertThat(recovered(home, 1))
        .containsExactlyInAnyOrder("0000000000000002", "0000000000000003");
    set(home.resolve("open/host-1.dead"), RecordingLayout.PID_AT, ProcessHandle.current().pid());
    assertThat(read(home.resolve("open/host-1.dead")).isAlive())
        .as("whoever has its number here")
        .isFalse();
  }

  @Test
  void requestsOfADirectory_haveWhatDeadProcessesEndedAsWell() throws Exception {
    for (int id = 1; id <= 3; id++) {
      start(id);
      end(id);
    }
    start(4);
    Path copy = copy();
    Path run = copy.getParent().getParent();
    assertThat(recoveredRequests(run)).as("it lives").isEmpty();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    assertThat(recoveredRequests(run)).isEqualTo(recovered(run, 1)).hasSize(3);
  }

  private Set<String> recoveredRequests(Path run) throws IOException {
    Path file = Files.createTempDirectory(copies, "merged").resolve("merged.jsonl");
    RequestReader requests = new RequestReader(CallJoins.NONE, line -> assertThat(line).isNull());
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      for (int i = 0; i < 2; i++) { // once each, however often it is read
        requests.readRecovered(run, (signal, request, n) -> append(writer, request));
      }
    }
    Set<String> ids = new HashSet<>();
    new TracesReader().read(file, span -> assertThat(ids.add(span.spanId())).isTrue());
    return ids;
  }
}
