package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process of any kind that runs by itself, and whose words are kept for the end. */
public final class Launched {

  private final List<String> command;
  private final Process process;
  private final Path out;
  private final Path err;
  private final long startNanos = System.nanoTime();

  private Launched(List<String> command, Process process, Path out, Path err) {
    this.command = command;
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts it. Its errors are kept apart, unless the builder puts them into its output. */
  public static Launched of(ProcessBuilder builder) throws IOException {
    Path out = Files.createTempFile("launched", ".out");
    Path err = Files.createTempFile("launched", ".err");
    builder.redirectOutput(out.toFile());
    if (!builder.redirectErrorStream()) {
      builder.redirectError(err.toFile());
    }
    return new Launched(List.copyOf(builder.command()), builder.start(), out, err);
  }

  /** Waits for its end. */
  public Finished finish() throws IOException, InterruptedException {
    boolean ended = Patience.untilEnd(process);
    long wallNanos = System.nanoTime() - startNanos;
    Finished finished =
        new Finished(process.exitValue(), textOf(out), textOf(err), wallNanos, command);
    assertThat(ended).as("ended by itself: %s", finished).isTrue();
    return finished;
  }

  private static String textOf(Path file) throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    Files.delete(file);
    return text;
  }
}
