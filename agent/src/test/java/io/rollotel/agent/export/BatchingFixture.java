package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.sdk.Run;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rounds are run by hand where the background thread is not started. Each line is logged once per
 * JVM, so tests that look for one use a queue size of their own, which the line contains.
 */
abstract class BatchingFixture {

  static final String DROPPED = "spans are being dropped";

  @TempDir Path directory;

  /** Only for runs without a server: earlier tests may still log something about theirs. */
  static List<String> said(Stderr stderr) {
    return stderr.lines().stream().filter(line -> !line.contains("cannot deliver")).toList();
  }

  static void endLarge(Run run, String text, int times) {
    for (int i = 0; i < times; i++) {
      run.tracer.spanBuilder("large").setAttribute("text", text).startSpan().end();
    }
  }

  /** As it would be read after its process has ended. */
  Recording dead(Path file) throws Exception {
    Path copy = Files.createDirectories(directory.resolve("copy/open")).resolve("host-1.rec");
    Files.copy(file, copy);
    return Recordings.read(copy.getParent().getParent()).all().get(0);
  }

  static void await(Run run, int kept) throws Exception {
    long deadlineNanos = Run.inSeconds(600);
    while (run.namesIn(run.ownFile()).size() < kept) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(5);
    }
  }
}
