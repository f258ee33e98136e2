package io.rollotel.traces.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedRecording;
import io.rollotel.traces.kit.RandomRequests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything here is compared with a {@code TracesReader} of the same files. */
class PartitionsTest {

  @TempDir private Path temporary;
  private Path dir = Path.of("");
  private Path cache = Path.of("");

  @BeforeEach
  void makeDirectories() throws IOException {
    dir = Files.createDirectories(temporary.resolve("out"));
    Files.createDirectories(dir.resolve("traces"));
    cache = temporary.resolve("cache");
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 4", "16, 1", "16, 3", "64, 2", "4096, 2"})
  void anyNumberOfPartitionsAndThreads_givesTheSameSpans(int partitions, int threads)
      throws Exception {
    SpanLines lines = new SpanLines(7);
    Files.writeString(dir.resolve("traces/a.jsonl"), lines.lines(200));
    Files.writeString(dir.resolve("traces/b.jsonl"), lines.lines(120));
    Files.write(
        dir.resolve("traces/c.jsonl.gz"), PlantedFile.gzip(lines.lines(90).getBytes(UTF_8)));
    Read.assertSame(options(partitions, threads), cache, dir);
  }

  @Test
  void randomRequests_areTheSame() throws Exception {
    RandomRequests requests = new RandomRequests(11);
    byte[][] all = new byte[600][];
    for (int i = 0; i < all.length; i++) {
      all[i] = requests.request().toByteArray();
    }
    PlantedFile.write(dir.resolve("traces/traces.jsonl"), all);
    Read.assertSame(options(16, 2), cache, dir);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n",
        "\r\n",
        "{}",
        "not JSON\n",
        "not JSON",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"00\"}]}]}]}\n",
        "{\"resourceSpans\":[{\"scop\n",
        "{\"resourceSpans\":[{\"scop"
      })
  void oddLine_isCountedTheSameWay(String odd) throws Exception {
    SpanLines lines = new SpanLines(3);
    Files.writeString(dir.resolve("traces/a.jsonl"), lines.lines(9) + odd);
    Files.writeString(dir.resolve("traces/b.jsonl"), lines.lines(3) + odd + lines.lines(4));
    Read.assertSame(options(4, 2), cache, dir);
  }

  @Tag("campaign")
  @Test
  void linesOfAnyLength_areTheSame() throws Exception {
    SpanLines lines = new SpanLines(5);
    StringBuilder text = new StringBuilder();
    for (int length : new int[] {1, 65_300, 65_536, 131_072, 9_000_000, 3}) {
      text.append(lines.span("name", "n".repeat(length))).append('\n');
      text.append("garbage ").append("g".repeat(length)).append('\n');
      text.append(lines.span("größe µs 数据 \ud83d\ude80 \\ud800 \\u0000", "x")).append('\n');
    }
    Files.writeString(dir.resolve("traces/a.jsonl"), text);
    // With too many pieces, each would look for the end of the same line.
    Tuning tuning = new Tuning(3, 1_000_000, 1_000_000, 300_000, 0);
    Read.assertSame(options(4, 3), tuning, cache, dir);
  }

  @Test
  void manyBadLinesInManyPieces_areNumberedAndTheFirstNamed() throws Exception {
    SpanLines lines = new SpanLines(5);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      text.append(lines.lines(5)).append("bad ").append(i).append('\n');
    }
    Files.writeString(dir.resolve("traces/a.jsonl"), text);
    Files.writeString(dir.resolve("traces/b.jsonl"), text);
    Read.assertSame(options(4, 3), cache, dir);
  }

  @Test
  void cutOffGzip_isReadToTheCut() throws Exception {
    byte[] whole = PlantedFile.gzip(new SpanLines(2).lines(300).getBytes(UTF_8));
    Files.write(dir.resolve("traces/a.jsonl.gz"), Arrays.copyOf(whole, whole.length / 2));
    Files.writeString(dir.resolve("traces/b.jsonl.gz"), "no gzip at all");
    Read.assertSame(options(4, 2), cache, dir);
  }

  @Test
  void sameSpansInSeveralFiles_countOnceAndTheFirstWins() throws Exception {
    String first = new SpanLines(2).lines(50);
    Files.writeString(dir.resolve("traces/a.jsonl"), first);
    Files.writeString(dir.resolve("traces/b.jsonl"), first.replace("worker", "other"));
    Files.writeString(dir.resolve("traces/c.jsonl"), first + new SpanLines(3).lines(50) + first);
    Read.assertSame(options(8, 3), cache, dir);
  }

  @Tag("campaign")
  @Test
  void manySmallFiles_areTheSame() throws Exception {
    SpanLines lines = new SpanLines(8);
    for (int i = 0; i < 500; i++) {
      Files.writeString(dir.resolve("traces/p" + i + ".jsonl"), lines.lines(i % 3));
    }
    Read.assertSame(options(16, 2), cache, dir);
  }

  @Test
  void severalDirectories_areReadAsOne() throws Exception {
    SpanLines lines = new SpanLines(8);
    Path other = Files.createDirectories(temporary.resolve("other"));
    Path file = temporary.resolve("file.txt");
    Files.writeString(dir.resolve("traces/a.jsonl"), lines.lines(20) + "bad\n");
    Files.writeString(other.resolve("a.jsonl"), lines.lines(20) + "bad\n");
    Files.writeString(file, lines.lines(20));
    Read.assertSame(options(16, 2), cache, dir, other, file, dir);
  }

  @Test
  void recordedSpans_areTheSame() throws Exception {
    Files.writeString(
        dir.resolve("traces/a.jsonl"),
        new SpanLines(8).lines(5)
            + SpanLines.span("00000000000000000000000000000001", "0000000000000007", ""));
    PlantedRecording.write(dir, "open", 9);
    Read.assertSame(options(16, 2), cache, dir);
    PlantedRecording.write(dir, "ended", 7);
    Read.assertSame(options(16, 2), cache, dir);
  }

  /** As of a process that exported to the collector of another host, and was killed. */
  @Test
  void recordedSpansOfOneDirectory_areThoseInTheTracesOfAnother() throws Exception {
    PlantedRecording.write(dir, "open", 7);
    Path other = Files.createDirectories(temporary.resolve("other"));
    Files.writeString(
        other.resolve("a.jsonl"),
        SpanLines.span("00000000000000000000000000000001", "0000000000000007", ""));
    Read.assertSame(options(16, 2), cache, dir, other);
  }

  @Test
  void joinedTraces_comeTogether() throws Exception {
    SpanLines lines = new SpanLines(4);
    Files.writeString(dir.resolve("traces/a.jsonl"), lines.joined(40));
    Files.writeString(dir.resolve("traces/b.jsonl"), lines.lines(40));
    Read.assertSame(options(32, 2), cache, dir);
    Files.writeString(dir.resolve("traces/c.jsonl"), lines.joined(10));
    Read.assertSame(options(32, 2), cache, dir);
  }

  @Test
  void secondUpdate_readsNothingAgain() throws Exception {
    Files.writeString(dir.resolve("traces/a.jsonl"), new SpanLines(4).lines(40));
    List<Long> bytes = new ArrayList<>();
    PartitionOptions options = options(16, 2).withProgress((read, of) -> bytes.add(read));
    Read.assertSame(options, cache, dir);
    assertThat(bytes).isNotEmpty();
    bytes.clear();
    Read.assertSame(options, cache, dir);
    assertThat(bytes).isEmpty();
  }

  @Test
  void missingDirectory_isAnException() {
    assertThatThrownBy(() -> Partitions.open(cache, List.of(dir.resolve("none")), options(16, 1)))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(cache).doesNotExist();
  }

  @Test
  void directoryWithOtherFiles_isNoCache() throws Exception {
    Files.createDirectories(cache);
    Files.writeString(cache.resolve("thesis.txt"), "");
    assertThatThrownBy(() -> Partitions.open(cache, List.of(dir), options(16, 1)))
        .hasMessageContaining("thesis.txt")
        .hasMessageContaining("--cache DIR");
  }

  @Test
  void cacheInUse_saysWhoUsesIt() throws Exception {
    try (Partitions first = Partitions.open(cache, List.of(dir), options(16, 1))) {
      first.update();
      assertThatThrownBy(() -> Partitions.open(cache, List.of(dir), options(16, 1)))
          .hasMessageContaining("process " + ProcessHandle.current().pid())
          .hasMessageContaining("--cache DIR");
    }
    Read.assertSame(options(16, 1), cache, dir);
  }

  @Test
  void damagedBlock_isFound() throws Exception {
    Files.writeString(dir.resolve("traces/a.jsonl"), new SpanLines(4).lines(40));
    try (Partitions partitions = Partitions.open(cache, List.of(dir), options(1, 1))) {
      partitions.update();
      Path file = cache.resolve("p0000");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 3] ^= 1;
      Files.write(file, bytes);
      assertThatThrownBy(() -> partitions.read(0, null, span -> {}))
          .hasMessageContaining("delete it");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"manifest", "p0000", "resources"})
  void cacheThatIsCutShort_isRebuilt(String name) throws Exception {
    Files.writeString(dir.resolve("traces/a.jsonl"), new SpanLines(4).lines(40));
    Read.assertSame(options(1, 1), cache, dir);
    Path file = cache.resolve(name);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 5));
    List<String> notes = new ArrayList<>();
    Read.assertSame(options(1, 1).withNotes(notes::add), cache, dir);
    assertThat(notes).hasSize(1).first().asString().contains("is rebuilt");
  }

  @Test
  void otherNumberOfPartitions_makesTheCacheAnew() throws Exception {
    Files.writeString(dir.resolve("traces/a.jsonl"), new SpanLines(4).lines(40));
    Read.assertSame(options(16, 1), cache, dir);
    List<String> notes = new ArrayList<>();
    Read.assertSame(options(32, 1).withNotes(notes::add), cache, dir);
    assertThat(notes).hasSize(1).first().asString().contains("number of partitions");
  }

  @Test
  void cacheInTheDirectoryItself_isNotReadAsTraces() throws Exception {
    Path plain = Files.createDirectories(temporary.resolve("plain"));
    Files.writeString(plain.resolve("a.jsonl"), new SpanLines(4).lines(40));
    Path inside = Partitions.defaultDir(List.of(plain));
    assertThat(inside).isEqualTo(plain.toRealPath().resolve("report-cache"));
    Read.assertSame(options(16, 1), inside, plain);
    Read.assertSame(options(16, 1), inside, plain);
  }

  @Test
  void numberOfPartitions_followsTheSpans() {
    assertThat(PartitionOptions.partitionsFor(0)).isEqualTo(16);
    assertThat(PartitionOptions.partitionsFor(8_000_001)).isEqualTo(32);
    assertThat(PartitionOptions.partitionsFor(100_000_000)).isEqualTo(256);
    assertThat(PartitionOptions.partitionsFor(Long.MAX_VALUE)).isEqualTo(4096);
  }

  @Test
  void partitions_mayGrowAsLongAsOneFitsIntoTheHeap() {
    long inHeap = Runtime.getRuntime().maxMemory() * 2 / 5 / 450;
    long most = 16 * Math.min(2_000_000, inHeap);
    assertThat(PartitionOptions.areTooFew(16, most - 16)).isFalse();
    assertThat(PartitionOptions.areTooFew(16, most + 16)).isTrue();
    assertThat(PartitionOptions.areTooFew(4096, Long.MAX_VALUE)).isFalse();
  }

  private static PartitionOptions options(int partitions, int threads) {
    return PartitionOptions.defaults().withPartitions(partitions).withThreads(threads);
  }
}
