package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of the stack, which the application reaches through traced frames. */
class StackOverflowIT {

  private static final int TIMES = 20;

  /** Of an error that the JVM made: those of the warm-up have a message. */
  private static final Pattern STACK_TRACE =
      Pattern.compile("exception\\.stacktrace[^}]*\"java\\.lang\\.StackOverflowError\\\\n");

  private @TempDir Path directory;

  @Test
  void twentyStackOverflowsInARow_endAndAreFewStackTraces() throws Exception {
    Result result =
        ProgramRun.of(directory, StackOverflowWorker.class, Integer.toString(TIMES))
            .environment("ROLL_OTEL_LOG", "info")
            // Each span is there once: two copies would be two stack traces.
            .environment("ROLL_OTEL_EXPORTER", "file")
            // More than all frames: another test covers a full queue.
            .environment("OTEL_BSP_MAX_QUEUE_SIZE", "400000")
            .run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines()).containsExactly("caught " + TIMES);
    assertThat(result.said())
        .as("every span that was made is there")
        .anyMatch(line -> line.contains(", 0 dropped"))
        .noneMatch(line -> line.contains("not recorded any more"))
        .noneMatch(line -> line.contains("StackOverflowError"));
    assertThat(result.spans().stream().filter(span -> span.name().equals("worker.after")))
        .as("tracing goes on after each")
        .hasSize(TIMES);
    // Each error passes through some thousand frames, and one of them prints it. That one may have
    // no stack left to remember it, so the next one prints it again.
    assertThat(stackTraces()).as("stack traces").isBetween(TIMES, 3 * TIMES);
  }

  private int stackTraces() throws IOException {
    int found = 0;
    try (Stream<Path> files = Files.list(directory.resolve("output/otlp/traces"))) {
      List<Path> written = files.filter(path -> path.toString().endsWith(".jsonl")).toList();
      for (Path file : written) {
        found += (int) STACK_TRACE.matcher(Files.readString(file)).results().count();
      }
    }
    return found;
  }

  /**
   * Tracing begins only where it has room. How much it needs depends on the JDK: with 300 frames
   * left, JDK 25 would have no stack left while it initialises a class.
   */
  @ParameterizedTest
  @ValueSource(ints = {50, 100, 200, 300, 500, 1_000})
  void firstCallNearTheEndOfTheStack_costsTheLaterOnesNothing(int frames) throws Exception {
    Result result =
        ProgramRun.of(directory, DeepWorker.class, frames + "")
            .jvmOptions("-Xss512k", "-Xint")
            .run();

    assertThat(result.lines()).containsExactly("done");
    assertThat(result.spans()).hasSizeBetween(5, 6);
  }
}
