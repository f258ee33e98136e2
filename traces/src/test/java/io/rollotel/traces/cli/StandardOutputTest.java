package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchException;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StandardOutputTest {

  private static final Path FULL = Path.of("/dev/full");

  @TempDir Path dir;

  static boolean isFullThere() {
    return Files.exists(FULL);
  }

  @EnabledIf("isFullThere")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "--version",
        "completion bash",
        "report --json-schema",
        "report DIR",
        "report --json DIR",
        "report --color=always DIR",
        "validate DIR"
      })
  void fullDisk_failsWithTheReason(String command) throws Exception {
    try (OutputStream full = new FileOutputStream(FULL.toFile())) {
      CommandRun run = run(command, full, Path.of(""));
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err().lines())
          .containsExactly("Cannot write to standard output: No space left on device.");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Broken pipe, somewhere, 0, ''",
    "The pipe is being closed, somewhere, 0, ''",
    "Weg damit, pipe:[17], 0, ''",
    "Bad file descriptor, somewhere, 1, Cannot write to standard output: Bad file descriptor."
  })
  void closedPipe_isNoFailure(String reason, String link, int code, String complaint)
      throws Exception {
    Path descriptor = Files.createSymbolicLink(dir.resolve("1"), Path.of(link));
    CommandRun run = run("report --json-schema", failing(reason), descriptor);
    assertThat(run.code()).isEqualTo(code);
    assertThat(run.err().strip()).isEqualTo(complaint);
  }

  @Test
  void secondFailure_canBeAddedToTheFirst() {
    StandardOutput out = new StandardOutput(failing("full"), Path.of(""));
    Exception first = catchException(() -> out.write(1));
    Exception second = catchException(() -> out.write(1));
    first.addSuppressed(second);
    assertThat(second).hasMessage("full");
    assertThat(List.of(first, second)).allMatch(out::isFailure);
  }

  private CommandRun run(String command, OutputStream to, Path link) throws Exception {
    PlantedFile.write(
        dir.resolve("run/traces.jsonl"),
        Requests.of(List.of(Requests.span(1, 2, 0, "work", 5, 5)), "roll.run_id", "r1"));
    StringWriter err = new StringWriter();
    int code =
        Main.run(
            new StandardOutput(to, link),
            new PrintWriter(err, true),
            new Terminal(Map.of(), descriptor -> false, () -> ""),
            List.of(),
            command.replace("DIR", dir.resolve("run").toString()).split(" "));
    return new CommandRun(code, "", err.toString());
  }

  private static OutputStream failing(String reason) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(reason);
      }
    };
  }
}
