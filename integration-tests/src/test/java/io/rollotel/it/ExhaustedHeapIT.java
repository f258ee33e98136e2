package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The heap is full for a time: the program continues, and ends when it is done. */
class ExhaustedHeapIT {

  /** The failures that this test is for occurred only in some runs. */
  private static final int TIMES = 4;

  private @TempDir Path directory;

  /**
   * The collector, or tracing itself, is about to start when memory runs out. With a little memory
   * left, it gets as far as the JDK's classes.
   */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"20, 0", "0, 0", "0, 2048"})
  void heapFullForATime_theProgramEndsAndNoSpanIsLostSilently(int callsBefore, int kibibytesLeft)
      throws Exception {
    for (int i = 0; i < TIMES; i++) {
      Path run = Files.createDirectory(directory.resolve("run" + i));
      Result result =
          ProgramRun.of(run, ExhaustedWorker.class, callsBefore + "", kibibytesLeft + "")
              .environment("ROLL_OTEL_LOG", "info")
              .jvmOptions("-Xmx64m")
              .run();
      assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
      assertThat(result.out()).contains("= freed after ");
      if (callsBefore > 0) {
        // Calls in the full heap may go without a span; where tracing itself begins there, all may.
        assertThat(result.spans().size() + result.dropped())
            .as(result.err())
            .isGreaterThanOrEqualTo(2 * callsBefore);
      }
    }
  }
}
