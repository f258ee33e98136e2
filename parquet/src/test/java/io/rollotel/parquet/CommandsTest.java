package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.partition.PartitionOptions;
import io.rollotel.traces.partition.Partitions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.parquet.PlainReadOptions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Commands that read and write Parquet. */
class CommandsTest extends CommandsFixture {

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
  void progressByWayOfACache_isInBytesOfParquet() throws Exception {
    export(dir.resolve("lines"));
    List<Long> bytes = new ArrayList<>();
    PartitionOptions counting =
        PartitionOptions.defaults().withProgress((read, of) -> bytes.add(read));
    try (Partitions partitions =
        Partitions.open(dir.resolve("cache"), List.of(parquet), counting)) {
      partitions.update();
    }
    assertThat(bytes).last().isEqualTo(Files.size(parquet));
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
    assertThat(export.out()).contains("1 span written").contains("1 data point or log record");
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
