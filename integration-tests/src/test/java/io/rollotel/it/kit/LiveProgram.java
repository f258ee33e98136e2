package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program that runs, and answers lines of its input by lines that begin with {@code =}. */
public final class LiveProgram implements AutoCloseable {

  private static final String ENDED = "the program has ended";

  private final Process process;
  private final Path err; // null where its errors are in its output
  private final Writer input;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private final List<String> said = new ArrayList<>();

  /**
   * Takes over a process.
   *
   * @param err where its errors go
   */
  public LiveProgram(Process process, Path err) {
    this.process = process;
    this.err = err;
    input = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "program-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Its id. */
  public String pid() {
    return Long.toString(process.pid());
  }

  /** The process. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Starts any program, whose errors are among its lines. */
  public static LiveProgram of(ProcessBuilder builder) throws IOException {
    return new LiveProgram(builder.redirectErrorStream(true).start(), null);
  }

  /** Sends a line and gives the answer. */
  public String ask(String line) throws IOException, InterruptedException {
    input.write(line + "\n");
    input.flush();
    return await("= ");
  }

  /** The rest of the next line of its output that begins so. */
  public String await(String prefix) throws IOException, InterruptedException {
    while (true) {
      String line = next();
      assertThat(line).as("%s; said: %s %s", prefix, said, err()).isNotEqualTo(ENDED);
      said.add(line);
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
    }
  }

  private String next() throws IOException, InterruptedException {
    String line = lines.poll(Patience.MINUTES, TimeUnit.MINUTES);
    assertThat(line).as("the next line; said: %s %s", said, err()).isNotNull();
    return line;
  }

  /** Every line of its output that was awaited or passed over so far. */
  public List<String> said() {
    return said;
  }

  /** What it said on stderr so far. */
  public String err() throws IOException {
    return err == null ? "" : Files.readString(err, StandardCharsets.UTF_8);
  }

  /** Kills it with SIGKILL. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends it as Ctrl-C does; gives the lines of its output that were not waited for. */
  public List<String> stop() throws IOException, InterruptedException {
    handle().destroy(); // the process's own would close its output
    List<String> rest = new ArrayList<>();
    for (String line = next(); !line.equals(ENDED); line = next()) {
      rest.add(line);
    }
    assertThat(Patience.untilEnd(process)).as("%s", rest).isTrue();
    return rest;
  }

  /** Waits for its end, and adds the lines of its output; gives its exit code. */
  public int finish(List<String> output) throws IOException, InterruptedException {
    for (String line = next(); !line.equals(ENDED); line = next()) {
      output.add(line);
    }
    assertThat(Patience.untilEnd(process)).as(err()).isTrue();
    return process.exitValue();
  }

  /** Ends its input, and returns its output; fails unless it then exits with 0. */
  public List<String> end() throws IOException, InterruptedException {
    input.close();
    assertThat(Patience.untilEnd(process)).as(err()).isTrue();
    assertThat(process.exitValue()).as(err()).isZero();
    return err().lines().toList();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // Treated like the end.
    }
    lines.add(ENDED);
  }
}
