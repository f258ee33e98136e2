package io.rollotel.agent.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.recording.HostName;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Reads back what was written, from a copy, since a process does not read its own file. */
abstract class RecorderFixture {

  static final long SECOND = 1_000_000_000L;
  static final long NOBODY = 1L << 40;
  static final int SMALLEST = RecordingLayout.LEAST_BYTES;

  static final Map<String, Object> RESOURCE =
      Map.of("service.instance.id", "host:1", "host.name", HostName.get(), "roll.run_id", "r");

  @TempDir Path directory;
  @TempDir Path copies;
  Recorder recorder;

  @BeforeEach
  void open() {
    recorder = open(SMALLEST);
  }

  Recorder open(int bytes) {
    Recorder opened = new Recorder(bytes, directory.resolve(Recordings.FOLDER).toFile());
    opened.open("host-1", RESOURCE);
    return opened;
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  void start(long id) {
    recorder.started(7, id, id, id / 2, id * SECOND, recorder.facts("span " + id % 10, 1, false));
  }

  void end(long id) {
    long facts = recorder.facts("span " + id % 10, 5, true);
    recorder.ended(
        Recorder.BY_ID, 7, id, id, id / 2, id * SECOND, id * SECOND + id, facts, 2, false);
  }

  Path file() {
    return directory.resolve("open/host-1.rec");
  }

  Path copy() throws IOException {
    return copyOf(file());
  }

  Path copyOf(Path file) throws IOException {
    Path copy = Files.createTempDirectory(copies, "copy").resolve("open/host-1.rec");
    Files.createDirectories(copy.getParent());
    return Files.copy(file, copy);
  }

  static Recording read(Path copy) {
    Recordings found = Recordings.read(copy.getParent().getParent());
    assertThat(found.unreadable()).isEmpty();
    assertThat(found.all()).hasSize(1);
    return found.all().get(0);
  }

  static void set(Path copy, int at, long value) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
      file.seek(at);
      file.writeLong(Long.reverseBytes(value));
    }
  }

  static void append(TracesWriter writer, byte[] request) throws IOException {
    try {
      writer.write(request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new IOException(e);
    }
  }

  static Set<String> recovered(Path run, int open) throws IOException {
    TracesReader reader = new TracesReader();
    Set<String> ids = new HashSet<>();
    reader.read(
        run,
        span -> {
          assertThat(span.attributes()).containsEntry("roll.recovered", true);
          assertThat(ids.add(span.spanId())).isTrue();
        });
    assertThat(reader.recordings().stream().mapToInt(recording -> recording.open().size()).sum())
        .isEqualTo(open);
    return ids;
  }
}
