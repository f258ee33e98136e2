package io.rollotel.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.export.ParquetExport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are damaged, full disks, and names that are not read. */
class DamagedFilesTest extends CommandsFixture {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 100, -1, -4, -100, -2000})
  void truncatedFile_isNamedAndCounted(int length) throws Exception {
    export(dir.resolve("lines"));
    byte[] bytes = Files.readAllBytes(parquet);
    Path mixed = Files.createDirectories(dir.resolve("mixed"));
    Files.copy(lines, mixed.resolve("a.jsonl"));
    int left = length >= 0 ? length : bytes.length + length;
    Files.write(mixed.resolve("cut.parquet"), Arrays.copyOf(bytes, left));
    Command report = Command.of("report", mixed);
    assertThat(report.code()).isZero();
    assertThat(report.out())
        .contains("60 spans")
        .contains("1 unreadable line skipped")
        .contains("cut.parquet: incomplete Parquet file")
        .doesNotContain("LocalInputFile");
    assertThat(Command.of("report", mixed, "--cache", dir.resolve("cache"))).isEqualTo(report);
    Path alone = dir.resolve("alone");
    Files.createDirectories(alone);
    Files.move(mixed.resolve("cut.parquet"), alone.resolve("cut.parquet"));
    Command none = Command.of("report", alone);
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("No spans found").contains("cut.parquet: incomplete Parquet");
    assertThat(Command.of("merge", alone, "-o", dir.resolve("m.jsonl")).err())
        .contains("left out: ")
        .contains("cut.parquet: incomplete Parquet file")
        .doesNotContain("\tat ");
  }

  @Test
  void damagedFile_isNeverAnException() throws Exception {
    export(dir.resolve("lines"));
    byte[] bytes = Files.readAllBytes(parquet);
    Random random = new Random(5);
    Path damaged = dir.resolve("damaged.parquet");
    for (int i = 0; i < 100; i++) {
      byte[] copy = bytes.clone();
      for (int j = random.nextInt(4); j >= 0; j--) {
        copy[random.nextInt(copy.length)] = (byte) random.nextInt();
      }
      Files.write(damaged, copy);
      Command report = Command.of("report", damaged);
      assertThat(report.code()).as("damage %d", i).isBetween(0, 1);
      assertThat(report.err()).doesNotContain("\tat ");
    }
  }

  @Test
  void lines_thatAreNoParquet_areNamed() throws Exception {
    Files.copy(lines, parquet);
    assertThat(Command.of("report", parquet).err())
        .contains("run.parquet: incomplete Parquet file");
  }

  /** Of a line, and of all that the line lets through, the whole copy counts. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "}",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"kind\":[]}]}]}]}"
      })
  void copyOfATornOrRefusedLine_isWritten(String end) throws Exception {
    Path copies = Files.createDirectories(dir.resolve("copies"));
    List<String> whole = Files.readAllLines(lines);
    String torn = whole.get(1).substring(0, whole.get(1).length() - 6) + end;
    Files.writeString(copies.resolve("a.jsonl"), whole.get(0) + "\n" + torn + "\n");
    Files.copy(lines, copies.resolve("b.jsonl"));
    assertThat(export(copies).out()).contains("60 spans written").contains("20 duplicates");
    Path merged = dir.resolve("merged.jsonl");
    assertThat(Command.of("merge", copies, "-o", merged).out()).contains(": 60 spans;");
    assertThat(Command.of("report", parquet).out())
        .isEqualTo(Command.of("report", merged).out())
        .isEqualTo(Command.of("report", lines).out());
  }

  /**
   * What otelcol's file exporter leaves where its disk was full: it appends to the half line, or to
   * the line without its newline. Of 0 and 1, which are lines, h, a half, and n, a newline.
   */
  @ParameterizedTest
  @CsvSource({"h0nhh1n, 2", "01n, 0", "0h1n, 1", "h01n, 1", "01h0n, 1", "01, 0"})
  void lineBehindAnother_isReadAndTheOtherIfItIsWhole(String parts, int torn) throws Exception {
    List<String> whole = Files.readAllLines(lines);
    String half = whole.get(1).substring(0, whole.get(1).length() / 2);
    String content =
        parts
            .replace("n", "\n")
            .replaceAll("[01h]", "<$0>")
            .replace("<0>", whole.get(0))
            .replace("<1>", whole.get(1))
            .replace("<h>", half);
    int duplicates = parts.indexOf('0') == parts.lastIndexOf('0') ? 0 : 20;
    Path file = dir.resolve("full/traces/traces.jsonl");
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    String tornLines = torn == 0 ? "60 spans" : torn == 1 ? "1 truncated" : "2 truncated lines";
    assertThat(Command.of("report", file.getParent()).out())
        .contains("60 spans")
        .contains(tornLines);
    assertThat(Command.of("report", "--cache", dir.resolve("cache"), file.getParent()).out())
        .contains("60 spans")
        .contains(tornLines);
    assertThat(Command.of("merge", file, "-o", dir.resolve("m.jsonl")).out())
        .contains(": 60 spans; left out: %d duplicates, %d truncated".formatted(duplicates, torn));
    assertThat(Command.of("validate", file).out())
        .contains("60 spans")
        .contains(torn + " truncated line");
    assertThat(export(file).out()).contains("60 spans written").contains(torn + " truncated line");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 3000})
  void fullDisk_isOneFailure(int bytes) throws Exception {
    ParquetExport export = ParquetExport.ofAll();
    OutputStream full =
        new OutputStream() {
          private int left = bytes;

          @Override
          public void write(int one) throws IOException {
            if (--left < 0) {
              throw new IOException("No space left on device");
            }
          }
        };
    assertThatThrownBy(() -> export.write(List.of(lines), full, line -> {}, spans -> {}))
        .isInstanceOf(IOException.class)
        .hasMessage("No space left on device");
  }

  /** From two writers at once, or after one was killed. */
  @Test
  void partOfAnotherExport_isLeftAlone() throws Exception {
    Path part = dir.resolve("run.parquet.part");
    Files.writeString(part, "another's");
    Command export = export(dir.resolve("lines"));
    assertThat(export.code()).isEqualTo(1);
    assertThat(export.err())
        .isEqualTo(
            part
                + " already exists: another command writes it, or one was killed. Remove it if"
                + " none does."
                + System.lineSeparator());
    assertThat(part).hasContent("another's");
    assertThat(parquet).doesNotExist();
  }

  /** Files that Spark has not finished, and those that it ignores. */
  @ParameterizedTest
  @CsvSource({
    "run.parquet, true",
    "day=3/_hour=4/run.parquet, true",
    "_temporary/0/run.parquet, false",
    ".hidden/run.parquet, false",
    "_run.parquet, false",
    ".run.parquet, false"
  })
  void nameThatSparkLeavesOut_isNotRead(String name, boolean isRead) throws Exception {
    export(dir.resolve("lines"));
    Path file = dir.resolve("table").resolve(name);
    Files.createDirectories(file.getParent());
    Files.move(parquet, file);
    assertThat(Command.of("report", dir.resolve("table")).code()).isEqualTo(isRead ? 0 : 1);
    assertThat(Command.of("report", file).code()).isZero();
  }
}
