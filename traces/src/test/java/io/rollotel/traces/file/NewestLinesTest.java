package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewestLinesTest {

  @TempDir Path dir;

  @Test
  void everySize_readsTheWholeLinesThatFit() throws Exception {
    List<String> lines = new ArrayList<>();
    for (int i = 1; i <= 9; i++) {
      lines.add(line(i, "n".repeat(i * 7 % 5)));
    }
    Path older = Files.writeString(dir.resolve("a.jsonl"), String.join("", lines.subList(0, 5)));
    Path newer = Files.writeString(dir.resolve("b.jsonl"), String.join("", lines.subList(5, 9)));
    Files.write(dir.resolve("c.jsonl.gz"), new byte[] {1, 2, 3});
    Files.setLastModifiedTime(older, FileTime.fromMillis(1_000_000));
    Files.setLastModifiedTime(newer, FileTime.fromMillis(2_000_000));
    int all = String.join("", lines).length();
    for (int maxBytes = 0; maxBytes <= all + 1; maxBytes++) {
      List<String> found = new ArrayList<>();
      long leftOut = new TracesReader().readNewest(dir, maxBytes, span -> found.add(span.spanId()));

      List<String> expected = new ArrayList<>();
      int room = maxBytes;
      for (int i = 9; i >= 1 && room >= lines.get(i - 1).length(); i--) {
        expected.add(String.format("%016x", i));
        room -= lines.get(i - 1).length();
      }
      assertThat(found).as("%d bytes", maxBytes).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(leftOut).isEqualTo(Math.max(0, all - maxBytes));
    }
    assertThat(TracesReader.bytes(dir)).isEqualTo(all + 3);
  }

  /** A live page reads while the processes write. */
  @Test
  void filesThatAreWrittenMeanwhile_areReadAllTheSame() throws Exception {
    List<File> files = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      files.add(Files.createFile(dir.resolve(i + ".jsonl")).toFile());
    }
    AtomicBoolean isOver = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              Random random = new Random(1);
              while (!isOver.get()) {
                files.get(random.nextInt(files.size())).setLastModified(random.nextInt(1_000_000));
              }
            });
    writer.start();
    try {
      for (int i = 0; i < 20; i++) {
        assertThat(new TracesReader().readNewest(dir, 1000, span -> {})).isZero();
      }
    } finally {
      isOver.set(true);
      writer.join();
    }
  }

  private static String line(int id, String name) {
    String line =
        String.format(
            "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"%032x\","
                + "\"spanId\":\"%016x\",\"name\":\"%s\"}]}]}]}\n",
            id, id, name);
    assertThat(line.getBytes(UTF_8)).hasSize(line.length());
    return line;
  }
}
