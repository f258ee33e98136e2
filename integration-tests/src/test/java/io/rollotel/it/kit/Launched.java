package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A process of any kind, whose output is kept until the end. */
public final class Launched {

  private static final Pattern FOREIGN =
      Pattern.compile("(ROLL_|OTEL_|JAVA_TOOL_|_JAVA_OPTIONS|JDK_|MAVEN_|RAY_|SPARK_|SPRING_).*");

  private final List<String> command;
  private final Process process;
  private final Path out;
  private final Path err;

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

  /**
   * Removes variables from its environment that the user may have set and that would change its
   * behaviour or its output.
   */
  public static ProcessBuilder clean(ProcessBuilder builder) {
    builder.environment().keySet().removeIf(FOREIGN.asMatchPredicate());
    return builder;
  }

  /** Waits for its end. */
  public Finished finish() throws IOException, InterruptedException {
    try {
      boolean ended = Patience.untilEnd(process);
      Finished finished =
          new Finished(process.exitValue(), Files.readString(out), Files.readString(err), command);
      assertThat(ended).as("ended by itself: %s", finished).isTrue();
      return finished;
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
