package io.rollotel.traces.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that change between two updates, and updates that are interrupted. */
class ChangingFilesTest {

  @TempDir private Path temporary;
  private Path dir = Path.of("");
  private Path traces = Path.of("");
  private Path cache = Path.of("");
  private final PartitionOptions options =
      PartitionOptions.defaults().withPartitions(16).withThreads(2);

  @BeforeEach
  void makeDirectories() throws IOException {
    dir = temporary.resolve("out");
    traces = Files.createDirectories(dir.resolve("traces"));
    cache = temporary.resolve("cache");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anyChanges_leaveWhatIsThere(long seed) throws Exception {
    Random random = new Random(seed);
    SpanLines lines = new SpanLines(seed);
    byte[] unwritten = {};
    for (int step = 0; step < 25; step++) {
      for (int change = random.nextInt(3); change >= 0; change--) {
        Path live = traces.resolve("traces.jsonl");
        List<Path> files = files();
        Path any = files.isEmpty() ? live : files.get(random.nextInt(files.size()));
        switch (random.nextInt(9)) {
          case 0, 1, 2, 3 -> {
            // What a writer appends may end anywhere; the rest comes later.
            byte[] more = plus(unwritten, lines.lines(random.nextInt(20)).getBytes(UTF_8));
            int now = random.nextInt(more.length + 1);
            append(live, Arrays.copyOf(more, now));
            unwritten = Arrays.copyOfRange(more, now, more.length);
          }
          case 4 -> {
            if (Files.exists(live)) {
              Files.move(live, traces.resolve("traces-" + step + "-" + change + ".jsonl"));
              unwritten = new byte[0];
            }
          }
          case 5 -> {
            if (!any.equals(live) && any.toString().endsWith(".jsonl")) {
              Files.write(Path.of(any + ".gz"), PlantedFile.gzip(Files.readAllBytes(any)));
              if (random.nextInt(4) != 0) {
                Files.delete(any);
              }
            }
          }
          case 6 -> Files.writeString(traces.resolve("p" + step + ".jsonl"), lines.joined(3));
          case 7 -> {
            if (random.nextInt(3) == 0) {
              Files.deleteIfExists(any);
              unwritten = any.equals(live) ? new byte[0] : unwritten;
            }
          }
          default -> {
            if (random.nextInt(3) == 0 && any.toString().endsWith(".jsonl")) {
              Files.writeString(any, lines.lines(random.nextInt(20))); // shorter or longer
              unwritten = any.equals(live) ? new byte[0] : unwritten;
            }
          }
        }
      }
      Read.assertSame(null, options, Read.SMALL, cache, dir);
    }
  }

  @Test
  void growth_isReadFromWhereTheFileEnded() throws Exception {
    SpanLines lines = new SpanLines(1);
    Path live = traces.resolve("traces.jsonl");
    append(live, lines.lines(100).getBytes(UTF_8));
    Read.assertSame(options, cache, dir);
    byte[] more = lines.lines(10).getBytes(UTF_8);
    append(live, more);
    assertThat(bytesRead()).isEqualTo(more.length);
    Read.assertSame(options, cache, dir);
  }

  @Test
  void rotationAndCompression_readNothingTwice() throws Exception {
    SpanLines lines = new SpanLines(1);
    Path live = traces.resolve("traces.jsonl");
    append(live, lines.lines(100).getBytes(UTF_8));
    Read.assertSame(options, cache, dir);
    long spans = spansInCache();
    Path full = traces.resolve("traces-1.jsonl");
    Files.move(live, full);
    assertThat(bytesRead()).isZero();
    Files.write(traces.resolve("traces-1.jsonl.gz"), PlantedFile.gzip(Files.readAllBytes(full)));
    Files.delete(full);
    Read.assertSame(options, cache, dir);
    assertThat(spansInCache()).isEqualTo(spans);
    try (Partitions partitions = Partitions.open(cache, List.of(dir), options)) {
      partitions.update();
      for (int i = 0; i < partitions.count(); i++) {
        partitions.read(i, null, span -> {});
      }
      assertThat(partitions.summary().duplicates()).isZero();
    }
  }

  /** As two runs of one generator may leave. */
  @Test
  void otherFileOfTheSameSize_isReadInItsPlace() throws Exception {
    Path file = traces.resolve("traces.jsonl");
    String first = new SpanLines(1).lines(50);
    Files.writeString(file, first);
    Read.assertSame(options, cache, dir);
    FileTime written = Files.getLastModifiedTime(file);
    Files.writeString(file, first.replace("worker", "driver"));
    Files.setLastModifiedTime(file, FileTime.fromMillis(written.toMillis() + 5_000));
    Read.assertSame(options, cache, dir);
  }

  /** A merge of files of which one has grown: it begins as before, and is longer. */
  @Test
  void laterMergeOfGrownFiles_isReadInPlaceOfTheFormer() throws Exception {
    SpanLines lines = new SpanLines(1);
    Path merged = traces.resolve("merged.jsonl");
    String one = lines.lines(200);
    String other = lines.lines(200);
    Files.writeString(merged, one + other);
    Read.assertSame(options, cache, dir);
    Files.writeString(merged, one + lines.lines(100) + other);
    Read.assertSame(options, cache, dir);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void killedAtAnyMoment_goesOn(long seed) throws Exception {
    Random random = new Random(seed);
    SpanLines lines = new SpanLines(seed);
    append(traces.resolve("a.jsonl"), (lines.joined(40) + lines.lines(900)).getBytes(UTF_8));
    append(traces.resolve("b.jsonl.gz"), PlantedFile.gzip(lines.lines(300).getBytes(UTF_8)));
    append(traces.resolve("c.jsonl"), lines.lines(200).getBytes(UTF_8));
    List<Path> copies = new ArrayList<>();
    PartitionOptions copying =
        options.withProgress(
            (bytes, ofBytes) -> {
              if (random.nextInt(60) == 0 && copies.size() < 12) {
                copies.add(copy(temporary.resolve("copy" + copies.size())));
              }
            });
    try (Partitions partitions = Partitions.open(cache, List.of(dir), copying)) {
      partitions.tune(Read.SMALL);
      partitions.update();
    }
    assertThat(copies).isNotEmpty();
    for (Path copy : copies) {
      Read.assertSame(null, options, Read.SMALL, copy, dir);
    }
  }

  /** The cache as it is at a moment: files are copied while they grow. */
  private Path copy(Path to) {
    try {
      Files.createDirectories(to);
      if (Files.exists(cache.resolve("manifest"))) {
        Files.copy(cache.resolve("manifest"), to.resolve("manifest"));
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(cache, "[pmrj]*")) {
        for (Path file : files) {
          if (!file.getFileName().toString().startsWith("manifest")) {
            Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
          }
        }
      }
      return to;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private long bytesRead() throws IOException {
    long[] most = new long[1];
    PartitionOptions counting = options.withProgress((bytes, ofBytes) -> most[0] = bytes);
    try (Partitions partitions = Partitions.open(cache, List.of(dir), counting)) {
      partitions.update();
    }
    return most[0];
  }

  private long spansInCache() throws IOException {
    try (Partitions partitions = Partitions.open(cache, List.of(dir), options)) {
      partitions.update();
      return partitions.spans();
    }
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(traces)) {
      entries.forEach(files::add);
    }
    files.sort(null);
    return files;
  }

  private static void append(Path file, byte[] bytes) throws IOException {
    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static byte[] plus(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
