package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The outcome of a process.
 *
 * @param err empty where the errors went to the output
 */
public record Finished(int exitCode, String out, String err, List<String> command) {

  /** Runs a process to its end. */
  public static Finished of(ProcessBuilder builder) throws IOException, InterruptedException {
    return Launched.of(builder).finish();
  }

  /** A program of the JDK that runs the tests. */
  public static String jdk(String program) {
    return System.getProperty("java.home") + "/bin/" + program;
  }

  /** The errors without the progress that a command reports where it takes some seconds. */
  public String complaints() {
    return err.lines()
        .filter(line -> !line.matches("(read|written|sent|analysed) \\d.*"))
        .collect(Collectors.joining("\n"));
  }

  /** Fails unless it ended well. */
  public Finished isWell() {
    assertThat(exitCode).as(toString()).isZero();
    return this;
  }
}
