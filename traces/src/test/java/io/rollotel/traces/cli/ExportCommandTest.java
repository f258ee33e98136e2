package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code export} tells the user. */
class ExportCommandTest {

  @TempDir Path dir;

  private CommandRun export(String format, Path from) {
    return CommandRun.of("export", format, dir.resolve("written").toString(), from.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--csv", "--jaeger", "--perfetto"})
  void damagedFile_isNamedOnStderr(String format) throws Exception {
    Path file = dir.resolve("traces.jsonl");
    byte[] request = Requests.of(List.of(Requests.span(1, 1, 0, "work", 5, 3)));
    PlantedFile.write(file, request, request);
    Files.write(file, "{\"resourceSpans\":7}\n{\"re".getBytes(UTF_8), StandardOpenOption.APPEND);
    CommandRun run = export(format, file);
    assertThat(run.code()).isEqualTo(CommandRun.of("report", file.toString()).code()).isZero();
    assertThat(run.out()).startsWith("1 span written to ");
    assertThat(run.err())
        .startsWith("All files: 1 duplicate span left out; 1 truncated line and 1 unreadable line")
        .contains("traces.jsonl, line 3: ");
  }
}
