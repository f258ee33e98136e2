package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.sdk.Run;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to spans when a process ends. */
class BatchingCloseTest extends BatchingFixture {

  @Test
  void close_bringsWhatWaitsIntoTheOwnFile() throws Exception {
    try (Run run = Run.alone(directory, 100, 10);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      run.end("a", "b", "c");
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b", "c");
      assertThat(run.lines).isEmpty();
      assertThat(said(stderr)).isEmpty();
    }
  }

  @Test
  void closeAfterTheDeadline_bringsWhatWaitsIntoTheOwnFile() throws Exception {
    try (Run run = Run.alone(directory, 100, 2)) {
      run.queue.start();
      run.end("a", "b", "c", "d", "e");
      run.queue.close(System.nanoTime() - 1, true);
      // The background thread may take part; each span is there in any case.
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.namesIn(run.ownFile())).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
    }
  }

  @Test
  void closeTwice_isLikeOnce() throws Exception {
    try (Run run = Run.alone(directory, 100, 10);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      run.end("a");
      run.queue.close(Run.inSeconds(10), true);
      List<String> once = run.linesOf(run.ownFile());
      run.queue.close(Run.inSeconds(10), true);
      run.queue.close(System.nanoTime(), true);
      assertThat(run.linesOf(run.ownFile())).isEqualTo(once);
      assertThat(said(stderr)).isEmpty();
    }
  }

  @Test
  void closeBeforeStart_doesNothing() {
    try (Run run = Run.alone(directory, 100, 10)) {
      run.queue.close(Run.inSeconds(10), true);
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void closeOfAnEmptyQueue_leavesNoFile() {
    try (Run run = Run.alone(directory, 100, 10)) {
      run.queue.start();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void spanThatEndsWhileTheJvmEnds_goesToTheOwnFile() throws Exception {
    try (Run run = Run.alone(directory, 100, 10)) {
      run.queue.start();
      run.end("before");
      run.queue.close(Run.inSeconds(10), true);
      run.end("after");
      assertThat(run.namesIn(run.ownFile())).containsExactly("before", "after");
    }
  }

  @Test
  void spanThatEndsAfterTheUserEndedTracing_isCountedAndToldAtExit() throws Exception {
    try (Run run = Run.alone(directory, 100, 10)) {
      run.queue.start();
      run.end("before");
      run.queue.close(Run.inSeconds(10), false);
      run.end("after", "after");
      try (Stderr stderr = new Stderr()) {
        run.queue.close(Run.inSeconds(10), true);
        assertThat(said(stderr))
            .singleElement()
            .asString()
            .endsWith("2 spans ended after Telemetry.shutdown or detach and were not recorded");
      }
      assertThat(run.namesIn(run.ownFile())).containsExactly("before");
    }
  }

  @Test
  void spanThatEndsAfterClose_isNotSaidToHaveFilledTheQueue() {
    try (Run run = Run.alone(directory, 6, 6);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      run.queue.close(Run.inSeconds(10), true);
      run.end("after");
      run.queue.close(Run.inSeconds(10), true);
      assertThat(stderr.lines()).noneMatch(line -> line.contains(DROPPED));
    }
  }

  @Test
  void spansThatTheOwnFileDoesNotTakeAtTheEnd_areNotSaidToHaveFilledTheQueue() throws Exception {
    Files.createFile(directory.resolve("traces")); // where the folder of the own file should be
    try (Run run = Run.alone(directory, 7, 7);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      run.end("first", "second");
      run.queue.close(Run.inSeconds(10), true);
      assertThat(stderr.lines())
          .noneMatch(line -> line.contains(DROPPED))
          .contains("[roll-otel] 2 spans were dropped");
      assertThat(run.account.spans()).contains("2 dropped");
    }
  }

  @Test
  void interruptWhileClosing_keepsSpansAndTheInterrupt() throws Exception {
    try (Run run = Run.alone(directory, 100, 10)) {
      run.queue.start();
      run.end("a", "b");
      Thread.currentThread().interrupt();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(Thread.interrupted()).isTrue();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(run.namesIn(run.ownFile())).containsExactlyInAnyOrder("a", "b");
    }
  }

  @Test
  void closeWithMoreThanARequestHolds_losesNothing() throws Exception {
    String megabyte = "x".repeat(1 << 20);
    try (Run run = Run.alone(directory, 200, 10)) {
      for (int i = 0; i < 70; i++) {
        run.tracer.spanBuilder("large").setAttribute("text", megabyte).startSpan().end();
      }
      run.queue.start();
      run.queue.close(System.nanoTime() - 1, true);
      run.queue.close(Run.inSeconds(10), true);
      assertThat(Files.size(run.ownFile().toPath())).isGreaterThan(70L << 20);
      assertThat(run.delivery.isOff()).isFalse();
    }
  }
}
