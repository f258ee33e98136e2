package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rollotel.traces.otlp.UnreadableLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report on a run that goes on: its collector rotates its file while the others are read. */
class OpenedFilesTest {

  private @TempDir Path dir;

  private record Read(List<Long> spanIds, ReadSummary summary) {}

  private static String span(int id) {
    return String.format(
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"%032x\",\"spanId\":\"%016x\"}]}]}]}%n",
        1, id);
  }

  @Test
  void fileSetAsideBeforeItsTurn_isReadUnderItsNewName() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(dir.resolve("a.jsonl"), span(1));
    Files.writeString(file, span(2));
    Read read =
        readMeanwhile(
            () -> {
              FileRotation.setAside(file);
              Files.writeString(file, span(3));
            });
    assertThat(read.spanIds).containsOnly(1L, 2L, 3L);
    assertComplete(read);
    assertThat(read.summary.files()).hasSize(3);
  }

  @Test
  void fileSetAsideWhileItIsRead_isReadOnce() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(file, span(1) + span(2));
    Read read = readMeanwhile(() -> FileRotation.setAside(file));
    assertThat(read.spanIds).hasSize(2);
    assertComplete(read);
    assertThat(read.summary.files()).hasSize(1);
  }

  @Test
  void fileCompressedBeforeItsTurn_isReadInThatForm() throws Exception {
    Path file = dir.resolve("traces-2026-11-21T17-05-00.000.jsonl");
    Files.writeString(dir.resolve("a.jsonl"), span(1));
    Files.writeString(file, span(2));
    Read read = readMeanwhile(() -> FileRotation.compress(file, null));
    assertThat(read.spanIds).hasSize(2);
    assertComplete(read);
    assertThat(read.summary.files())
        .extracting(each -> each.getFileName().toString())
        .containsExactly("a.jsonl", file.getFileName() + ".gz");
  }

  @Test
  void fileCompressedWhileItIsRead_isReadOnce() throws Exception {
    Path file = dir.resolve("traces-2026-11-21T17-05-00.000.jsonl");
    Files.writeString(file, span(1) + span(2));
    Read read = readMeanwhile(() -> FileRotation.compress(file, null));
    assertThat(read.spanIds).hasSize(2);
    assertComplete(read);
  }

  /** The compressed file is another one, whose uncompressed name was never listed. */
  @Test
  void fileSetAsideAndCompressedWhileItIsRead_isReadOnce() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(file, span(1) + span(2));
    Read read =
        readMeanwhile(
            () -> {
              String opened = FileRotation.timeNow();
              while (FileRotation.timeNow().equals(opened)) {
                Thread.onSpinWait(); // the name has milliseconds
              }
              FileRotation.compress(FileRotation.setAside(file), null);
              Files.writeString(file, span(3));
            });
    assertThat(read.spanIds).hasSize(2);
    assertComplete(read);
    assertThat(read.summary.files()).containsExactly(file.toRealPath());
  }

  @Test
  void fileSetAsideAndCompressedBeforeItsTurn_isRead() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(dir.resolve("a.jsonl"), span(1));
    Files.writeString(file, span(2));
    Read read =
        readMeanwhile(
            () -> {
              FileRotation.compress(FileRotation.setAside(file), null);
              Files.writeString(file, span(3));
            });
    assertThat(read.spanIds).hasSize(3);
    assertComplete(read);
  }

  /** Where a deleted file was, a later one may be: it has the same key. */
  @Test
  void compressedFileWithTheKeyOfOneThatWasRead_isAnother() throws Exception {
    Path read = Files.createFile(dir.resolve("a.jsonl"));
    Path another = Files.createLink(dir.resolve("traces-2026-11-21T17-05-00.000.jsonl.gz"), read);
    OpenedFiles opened = new OpenedFiles();
    opened.add(read, FileRotation.timeNow());
    assertThat(opened.others(List.of(read, another))).containsExactly(another);
  }

  @Test
  void fileDeletedBeforeItsTurn_isNamed() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(dir.resolve("a.jsonl"), span(1));
    Files.writeString(file, span(2));
    Read read = readMeanwhile(() -> Files.delete(file));
    assertThat(read.summary.firstUnreadable())
        .singleElement()
        .extracting(UnreadableLine::reason)
        .asString()
        .contains("it is no longer there");
    assertThat(read.summary.files()).hasSize(1);
  }

  /** What happens to the files when the first span has been read. */
  private interface Change {
    void make() throws IOException;
  }

  private Read readMeanwhile(Change change) throws IOException {
    List<Long> spanIds = new ArrayList<>();
    ReadSummary summary =
        new TracesReader()
            .read(
                dir,
                span -> {
                  spanIds.add(Long.parseLong(span.spanId(), 16));
                  if (spanIds.size() == 1) {
                    assertThatNoException().isThrownBy(change::make);
                  }
                });
    return new Read(spanIds, summary);
  }

  private static void assertComplete(Read read) {
    assertThat(read.summary.duplicates() + read.summary.unreadableLines()).isZero();
  }
}
