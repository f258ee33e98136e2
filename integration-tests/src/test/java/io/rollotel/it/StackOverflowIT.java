package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of the stack, which the application reaches through traced frames. */
class StackOverflowIT {

  private @TempDir Path directory;

  @Test
  void stackOverflowThroughTracedFrames_isPrintedOnceAndTracingGoesOn() throws Exception {
    Result result = ProgramRun.of(directory, StackOverflowWorker.class).run();
    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).containsExactly("caught 20");
    assertThat(result.err()).doesNotContain("not recorded any more", "dropped");

    List<Span> after =
        result.spans().stream().filter(span -> span.name().equals("worker.after")).toList();
    assertThat(after).hasSize(20);

    int traces = 0;
    try (Stream<Path> files = Files.list(directory.resolve("output/otlp/traces"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
        traces += Files.readString(file).split("exception.stacktrace", -1).length - 1;
      }
    }
    // One for each error, but where the stack ends a frame may print it and not remember that it
    // did.
    assertThat(traces).as("stack traces of twenty errors").isBetween(1, 100);
  }
}
