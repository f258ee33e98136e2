package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.export.ParquetExport;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.parquet.PlainReadOptions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands do with Parquet files, and with lines beside them. */
class CommandsTest {

  private static final long START = 1_795_269_422_000_000_000L;
  private static final long MS = 1_000_000;
  private static final int STEPS = 20;

  @TempDir Path dir;

  private Path lines;
  private Path parquet;

  /** A run of steps with two calls each. */
  @BeforeEach
  void plant() throws Exception {
    lines = dir.resolve("lines/traces/traces.jsonl");
    parquet = dir.resolve("run.parquet");
    write(lines, "run-1", 0);
  }

  private static void write(Path file, String run, int firstTrace) throws Exception {
    List<Span> driver = new ArrayList<>();
    List<Span> workers = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      int trace = firstTrace + step + 1;
      long at = START + 300 * MS * (firstTrace + step);
      driver.add(
          with(Requests.span(trace, 1, 0, "pipeline_step", at, 200 * MS), "global_step", step));
      for (int rank = 0; rank < 2; rank++) {
        workers.add(
            with(
                Requests.span(trace, rank + 2, 1, "generate", at, (50 + step + rank) * MS),
                "http.status_code",
                rank == 0 ? 200 : 500));
      }
    }
    PlantedFile.write(
        file,
        Requests.of(driver, "service.name", "driver", "roll.run_id", run),
        Requests.of(workers, "service.name", "actor", "roll.run_id", run, "roll.rank", "3"));
  }

  private static Span with(Span span, String key, long value) {
    return span.toBuilder()
        .addAttributes(
            KeyValue.newBuilder().setKey(key).setValue(AnyValue.newBuilder().setIntValue(value)))
        .build();
  }

  private Command export(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("export", "--parquet", parquet));
    all.addAll(List.of(arguments));
    return Command.of(all.toArray());
  }

  @Test
  void reportOfParquet_isThatOfTheLines() {
    Command export = export(dir.resolve("lines"));
    assertThat(export)
        .isEqualTo(
            new Command(
                0,
                "60 spans written to %s; left out: 0 duplicates, 0 truncated lines%n"
                    .formatted(parquet),
                ""));
    assertThat(Command.of("report", parquet)).isEqualTo(Command.of("report", lines));
    assertThat(Command.of("report", parquet, "--cache", dir.resolve("cache")).out())
        .isEqualTo(Command.of("report", lines).out());
    assertThat(Command.of("report", "--where", "http.status_code:500", parquet))
        .isEqualTo(Command.of("report", "--where", "http.status_code:500", lines));
  }

  @Test
  void mergeOfParquet_isThatOfTheLines() throws Exception {
    export(dir.resolve("lines"));
    Path ofLines = dir.resolve("a.jsonl");
    Path ofParquet = dir.resolve("b.jsonl");
    Command.of("merge", lines, "-o", ofLines);
    Command.of("merge", parquet, "-o", ofParquet);
    assertThat(ofParquet).hasSameTextualContentAs(ofLines);
  }

  @Test
  void parquetOfParquet_isTheSame() throws Exception {
    export(dir.resolve("lines"));
    Path again = dir.resolve("again.parquet");
    assertThat(Command.of("export", "--parquet", again, parquet).code()).isZero();
    assertThat(again).hasSameBinaryContentAs(parquet);
  }

  @Test
  void sameSpansInLinesAndParquet_areDuplicates() throws Exception {
    export(dir.resolve("lines"));
    Path mixed = Files.createDirectories(dir.resolve("mixed"));
    Files.move(parquet, mixed.resolve("first.parquet"));
    Files.write(mixed.resolve("same.jsonl.gz"), PlantedFile.gzip(Files.readAllBytes(lines)));
    write(mixed.resolve("more.jsonl"), "run-1", STEPS);
    Command report = Command.of("report", mixed);
    assertThat(report.out()).contains("120 spans").contains("60 duplicate spans left out");
    assertThat(export(mixed).out()).contains("120 spans written").contains("60 duplicates");
  }

  @Test
  void allRuns_areExportedUnlessOneIsNamed() throws Exception {
    write(dir.resolve("lines/traces/other.jsonl"), "run-2", STEPS);
    assertThat(export(dir.resolve("lines")).out()).contains("120 spans written");
    Files.delete(parquet);
    assertThat(export("--run", "run-1", dir.resolve("lines")).out()).contains("60 spans written");
    assertThat(Command.of("report", parquet).out())
        .contains("Run run-1")
        .doesNotContain("Other runs");
    Files.delete(parquet);
    Command none = export("--run", "run-3", dir.resolve("lines"));
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("No run run-3");
    assertThat(parquet).doesNotExist();
  }

  @Test
  void where_exportsWhatMatches() {
    Command export = export("--where", "http.status_code:500 rank:3", dir.resolve("lines"));
    assertThat(export.out()).contains("20 spans written");
    Path none = dir.resolve("none.parquet");
    Command nothing =
        Command.of("export", "--parquet", none, "--where", "name:nothing", dir.resolve("lines"));
    assertThat(nothing.code()).isZero();
    assertThat(nothing.out()).contains("No span matches");
    assertThat(none).doesNotExist();
  }

  /** A second reading of a pipe finds nothing. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void whereOfAPipe_isRefused() throws Exception {
    Path pipe = dir.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Command refused = export("--where", "rank:3", pipe);
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("pipe is a pipe or a device", "write it to a file first");
    assertThat(parquet).doesNotExist();
  }

  /** A second reading would wait for a writer. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  @Timeout(60)
  void pipeWithoutSpans_isReadOnce() throws Exception {
    Path pipe = dir.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path empty = Files.writeString(dir.resolve("empty.jsonl"), "{}\n");
    new ProcessBuilder("cp", empty.toString(), pipe.toString()).start();
    Command none = export(pipe);
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("No spans found in " + pipe + ".");
    assertThat(parquet).doesNotExist();
  }

  @Test
  void fileThatExists_isLeftAlone() throws Exception {
    Files.writeString(parquet, "mine");
    Command export = export(dir.resolve("lines"));
    assertThat(export.code()).isEqualTo(2);
    assertThat(export.err()).contains("already exists");
    assertThat(parquet).hasContent("mine");
  }

  @Test
  void directoryWithoutSpans_saysSoAndLeavesNoFile() throws Exception {
    Path empty = Files.createDirectories(dir.resolve("empty"));
    Files.writeString(empty.resolve("traces.jsonl"), "{}\n");
    Command export = export(empty);
    assertThat(export.code()).isEqualTo(1);
    assertThat(export.err()).contains("No spans found in");
    try (var files = Files.list(dir)) {
      assertThat(files).noneMatch(file -> file.toString().contains(".parquet"));
    }
  }

  @Test
  void idOfAnotherLength_costsItsLineAlone() throws Exception {
    Files.writeString(
        lines,
        """
        {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"abc","spanId":"00000000000000aa"}]}]}]}
        {"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"asInt":"1"}]}}]}]}]}
        {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"00000000000000aa","name":"open","startTimeUnixNano":"5"}]}]}]}
        """
            .formatted("0f".repeat(16)));
    Command export = export(lines);
    assertThat(export.code()).isZero();
    assertThat(export.err())
        .isEqualTo("left out: %s:1: traceId of 3 digits instead of 32%n".formatted(lines));
    assertThat(export.out()).contains("1 spans written").contains("1 data points or log records");
  }

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
        .contains("cut.parquet: no whole Parquet file");
    Path alone = dir.resolve("alone");
    Files.createDirectories(alone);
    Files.move(mixed.resolve("cut.parquet"), alone.resolve("cut.parquet"));
    Command none = Command.of("report", alone);
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("No spans found").contains("cut.parquet: no whole Parquet");
    assertThat(Command.of("merge", alone, "-o", dir.resolve("m.jsonl")).err())
        .contains("left out: ")
        .contains("cut.parquet: no whole Parquet file")
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
    assertThat(Command.of("report", parquet).err()).contains("run.parquet: no whole Parquet file");
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
        .contains(torn + " truncated lines");
    assertThat(export(file).out()).contains("60 spans written").contains(torn + " truncated lines");
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

  /** A hundred kilobytes each: no thousand of them is waited for. */
  @Tag("campaign")
  @Test
  void largeSpans_makeSmallerRowGroups() throws Exception {
    Random random = new Random(3);
    Path large = dir.resolve("large.jsonl");
    List<byte[]> requests = new ArrayList<>();
    for (int i = 1; i <= 800; i++) {
      StringBuilder text = new StringBuilder();
      random.ints(100_000, '#', 'z').forEach(letter -> text.append((char) letter));
      Span span =
          Requests.span(i, 1, 0, "large", START, MS).toBuilder()
              .addAttributes(
                  KeyValue.newBuilder()
                      .setKey("text")
                      .setValue(AnyValue.newBuilder().setStringValue(text.toString())))
              .build();
      requests.add(Requests.of(List.of(span), "service.name", "s"));
    }
    PlantedFile.write(large, requests.toArray(byte[][]::new));
    assertThat(export(large).out()).contains("800 spans written");
    try (ParquetFileReader file =
        new ParquetFileReader(new LocalInputFile(parquet), PlainReadOptions.of(new PageCodecs()))) {
      assertThat(file.getRowGroups())
          .hasSizeGreaterThan(1)
          .allMatch(group -> group.getCompressedSize() < 60 << 20);
    }
  }

  @Test
  void folderThatIsNotThere_isOneLine() throws Exception {
    Command export =
        Command.of("export", "--parquet", dir.resolve("no/run.parquet"), dir.resolve("lines"));
    assertThat(export.code()).isEqualTo(1);
    assertThat(export.err())
        .isEqualTo(
            "Cannot write %s: there is no such directory.%n"
                .formatted(dir.resolve("no/run.parquet")));
  }

  @Test
  void attributesOfAllKinds_areInTheReport() throws Exception {
    export(dir.resolve("lines"));
    String json = Command.of("report", "--json", parquet).out();
    assertThat(json).isEqualTo(Command.of("report", "--json", lines).out());
    assertThat(json.getBytes(UTF_8)).isNotEmpty();
  }
}
