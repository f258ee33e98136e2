package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusedLinesTest {

  private static final byte[] CONTENTS = "0\n1\n2\n3\n4\n".getBytes(UTF_8);

  private @TempDir Path directory;

  /** Reading a compressed file from a position means to decompress all that is before it. */
  @ParameterizedTest
  @CsvSource({
    "traces.jsonl.gz, 0 1 2, 0",
    "traces.jsonl.gz, 1 2 4, 1",
    "traces.jsonl.gz, 3 0 4, 3 0",
    "traces.jsonl, 0 2 4, 0 2 4",
  })
  void linesOfACompressedFile_areReadOnFromTheOneBefore(String name, String kept, String opened)
      throws IOException {
    List<String> openedAt = new ArrayList<>();
    RefusedLines.Source source =
        bytes -> {
          openedAt.add(String.valueOf(bytes / 2));
          int from = Math.toIntExact(bytes);
          return new ByteArrayInputStream(CONTENTS, from, CONTENTS.length - from);
        };
    try (RefusedLines refused = new RefusedLines(directory.resolve(name), source)) {
      for (String line : kept.split(" ")) {
        long start = 2 * Long.parseLong(line);
        refused.keep(start, start + 2);
      }
      assertThat(refused.file()).hasContent(kept.replace(' ', '\n') + "\n");
      assertThat(refused.count()).isEqualTo(kept.split(" ").length);
    }
    assertThat(openedAt).containsExactly(opened.split(" "));
  }
}
