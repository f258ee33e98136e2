package io.rollotel.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.parquet.ParquetFormat;
import io.rollotel.traces.spans.Spans;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Pieces of any length give what one reader of the files gives. */
class PieceReaderTest {

  private static final int PARTITIONS = 4;

  @TempDir private Path directory;

  private static String lines(int from, int to) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < to; i++) {
      lines.append(
          """
          {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s%d"}}]},\
          "scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"n%d",\
          "startTimeUnixNano":"1000","endTimeUnixNano":"2000"}]}]}]}
          """
              .formatted(i % 3, 1 + i / 4, i + 1, i % 7));
    }
    return lines.toString();
  }

  private void plant() throws IOException {
    Path traces = Files.createDirectories(directory.resolve("traces/below"));
    Files.writeString(
        traces.resolve("a.jsonl"), lines(0, 50) + "bad\n" + lines(50, 90) + "\n" + "worse\n");
    Files.writeString(traces.resolve("b.jsonl"), lines(80, 120) + lines(0, 1).substring(0, 80));
    byte[] packed = gzip(lines(120, 160));
    Files.write(traces.resolve("c.jsonl.gz"), packed);
    Files.write(traces.resolve("d.jsonl.gz"), Arrays.copyOf(packed, packed.length / 2));
    Files.writeString(traces.resolve("e.jsonl.gz"), "no gzip at all");
    Files.writeString(traces.resolve("f.parquet"), "no Parquet at all");
    Files.writeString(traces.resolve("g.txt"), lines(500, 510));
    // What an unfinished job of Spark leaves, and links, one of them into a circle.
    for (String folder : List.of("_temporary/0", "_day=1", ".hidden")) {
      Path unfinished = Files.createDirectories(traces.resolve(folder));
      Files.writeString(unfinished.resolve("part.parquet"), "no Parquet either");
      Files.writeString(unfinished.resolve("h.jsonl"), lines(700, 702));
    }
    Files.writeString(traces.resolve("_part.parquet"), "no Parquet either");
    Files.createSymbolicLink(traces.resolve("circle"), traces);
    Files.createSymbolicLink(traces.resolve("link.jsonl"), traces.resolve("b.jsonl"));
    Files.createSymbolicLink(traces.resolve("nowhere.jsonl"), traces.resolve("nothing"));
    Files.writeString(directory.resolve("beside.jsonl"), lines(600, 610));
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(longs = {37, 100, 241, 5_000, Long.MAX_VALUE / 2})
  void piecesOfAnyLength_giveTheSpansAndCountsOfOneReader(long pieceBytes) throws IOException {
    plant();
    List<Span> known = new ArrayList<>();
    TracesReader reader = new TracesReader(new Spans().attributesRead(), (bytes, ofBytes) -> {});
    ReadSummary summary = reader.read(directory, known::add);

    Configuration configuration = new Configuration();
    InputFiles files = new InputFiles(List.of(directory.toString()), configuration);
    assertThat(files.paths()).isEqualTo(summary.files());
    List<List<byte[]>> blocks = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      blocks.add(new ArrayList<>());
    }
    long torn = 0;
    long unreadable = 0;
    List<FilePiece> pieces = new ArrayList<>(files.pieces(pieceBytes));
    for (FilePiece piece : pieces) {
      try (PieceReader of = new PieceReader(piece, configuration, PARTITIONS, false)) {
        while (of.hasNext()) {
          Tuple2<Integer, byte[]> one = of.next();
          if (one._1() < PARTITIONS) {
            blocks.get(one._1()).add(0, one._2()); // in another order
          } else {
            PieceCounts counts = Serial.object(one._2());
            torn += counts.tornLines;
            unreadable += counts.unreadableLines;
          }
        }
      }
    }
    assertThat(torn).isEqualTo(summary.tornLines());
    assertThat(unreadable).isEqualTo(summary.unreadableLines());
    List<Span> found = new ArrayList<>();
    long duplicates = 0;
    for (List<byte[]> ofPartition : blocks) {
      PartSpans spans = new PartSpans();
      spans.read(ofPartition.iterator(), new Spans().attributesRead(), found::add);
      duplicates += spans.duplicates();
    }
    assertThat(duplicates).isEqualTo(summary.duplicates()).isPositive();
    Comparator<Span> byIds = Comparator.comparing(Span::traceId).thenComparing(Span::spanId);
    found.sort(byIds);
    assertThat(found).isEqualTo(known.stream().sorted(byIds).toList());
  }

  @ParameterizedTest
  @CsvSource({"message.id, false", "message.id, true", "ray.task_id, false", "ray.task_id, true"})
  void endsOfACall_areDealtWithTheAttributeThatTheyName(String by, boolean isWhole)
      throws IOException {
    String text = "{\"key\":\"%s\",\"value\":{\"stringValue\":\"%s\"}}";
    String attributes =
        String.join(
            ",", text.formatted(by, "m1"), text.formatted("roll.join", by), text.formatted("n", 1));
    StringBuilder lines = new StringBuilder(lines(0, 3));
    for (int kind = 4; kind <= 5; kind++) {
      lines.append(
          """
          {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x",\
          "name":"call","kind":%d,"attributes":[%s]}]}]}]}
          """
              .formatted(kind, kind, kind, attributes));
    }
    Path file = Files.writeString(directory.resolve("a.jsonl"), lines);
    List<byte[]> blocks = new ArrayList<>();
    FilePiece whole = new FilePiece(file.toString(), 0, 0, Files.size(file));
    try (PieceReader of = new PieceReader(whole, new Configuration(), PARTITIONS, isWhole)) {
      while (of.hasNext()) {
        Tuple2<Integer, byte[]> one = of.next();
        if (one._1() == PARTITIONS) {
          blocks.add(one._2());
        }
      }
    }
    List<Span> ends = new ArrayList<>();
    new PartSpans().read(blocks.iterator(), /* attributes= */ null, ends::add);
    assertThat(ends)
        .extracting(Span::kind, Span::attributes)
        .containsExactly(
            tuple(4, Map.of("roll.join", by, by, "m1")),
            tuple(5, Map.of("roll.join", by, by, "m1")));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void copyOfAParquetFile_hasNoNameWhileItIsRead() throws IOException {
    int count = 40_000;
    Path file = directory.resolve("a.parquet");
    try (ParquetFormat.Rows rows =
        ParquetFormat.find().write(Files.newOutputStream(file), /* wanted= */ null)) {
      byte[] request = Requests.spans(1, count);
      rows.add(request, request.length);
    }
    FilePiece whole = new FilePiece(file.toString(), 0, 0, Long.MAX_VALUE);
    List<byte[]> blocks = new ArrayList<>();
    try (PieceReader reader = new PieceReader(whole, new Configuration(), 1, false)) {
      assertThat(reader.hasNext()).isTrue();
      assertThat(openCopies()).singleElement().asString().endsWith(" (deleted)");
      while (reader.hasNext()) {
        Tuple2<Integer, byte[]> one = reader.next();
        if (one._1() == 0) {
          blocks.add(one._2());
        }
      }
      assertThat(openCopies()).isEmpty();
    }
    List<Span> spans = new ArrayList<>();
    new PartSpans().read(blocks.iterator(), new Spans().attributesRead(), spans::add);
    assertThat(spans).hasSize(count);
  }

  private static List<String> openCopies() throws IOException {
    List<String> copies = new ArrayList<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path one : open) {
        try {
          copies.add(Files.readSymbolicLink(one).toString());
        } catch (NoSuchFileException closed) {
          // by another thread, or that of the listing itself
        }
      }
    }
    copies.removeIf(name -> !name.contains("/roll-otel-") || !name.contains(FilePiece.PARQUET));
    return copies;
  }

  @Test
  void fileThatHasBecomeShorter_isAnException() throws IOException {
    Path file = Files.writeString(directory.resolve("a.jsonl"), lines(0, 50));
    FilePiece behind =
        new FilePiece(file.toString(), 0, 2 * Files.size(file), 3 * Files.size(file));
    try (PieceReader reader = new PieceReader(behind, new Configuration(), PARTITIONS, false)) {
      assertThatThrownBy(reader::hasNext).hasMessageContaining("a.jsonl");
    }
  }

  @Test
  void foldersForOneMachineAlone_areNamed() throws IOException {
    plant();
    Files.createDirectory(directory.resolve("open"));
    Files.createFile(Files.createDirectory(directory.resolve("profiles")).resolve("p.jfr"));
    InputFiles files = new InputFiles(List.of(directory.toString()), new Configuration());
    assertThat(files.leftOut()).singleElement().asString().endsWith("/profiles");
  }

  @Test
  void filesOfNoDirectory_areReadWhateverTheirNames() throws IOException {
    Path file = Files.writeString(directory.resolve("spans.txt"), lines(0, 3));
    InputFiles files = new InputFiles(List.of(file.toUri().toString()), new Configuration());
    assertThat(files.paths()).containsExactly(file);
    assertThat(files.pieces(1L << 20)).hasSize(1);
  }
}
