package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLineException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that several threads parse give what one thread gives, whatever the lines are. */
class BlocksAheadTest {

  private static final int FAR = Integer.MAX_VALUE;

  private static final String COMPACT =
      """
      {"resourceSpans":[{"scopeSpans":[{"spans":[\
      {"traceId":"00000000499602d20000000000000031","spanId":"1e4036dae8a02856",\
      "attributes":[{"key":"a","value":{"stringValue":"b"}}]}]}]}]}
      """;

  /** Requests with any fields. */
  private static final List<String> LINES = new ArrayList<>();

  @TempDir static Path dir;

  @BeforeAll
  static void makeLines() throws Exception {
    RandomRequests requests = new RandomRequests(7);
    byte[][] all = new byte[2_000][];
    Arrays.setAll(all, i -> requests.request().toByteArray());
    LINES.addAll(Files.readAllLines(PlantedFile.write(dir.resolve("lines.jsonl"), all)));
  }

  @Test
  void linesOfEachKind_areReadAsByOneThread() throws Exception {
    for (int seed = 0; seed < 120; seed++) {
      Random random = new Random(seed);
      byte[] file = file(random);
      List<String> expected = read(LineSource.ofSpans(stream(file, FAR, random)), seed);
      for (int blockBytes : new int[] {16, 300, 5_000, 1 << 20}) {
        BlocksAhead blocks = blocks(stream(file, FAR, random), blockBytes);
        assertThat(read(LineSource.of(blocks), seed))
            .as("seed %d, blocks of %d bytes", seed, blockBytes)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void fileThatCannotBeReadToTheEnd_givesTheWholeLinesBefore() throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      byte[] file = file(random);
      int end = random.nextInt(file.length);
      // A long line fails while it is read as a stream, so only whole lines are compared.
      List<String> expected = read(LineSource.ofSpans(stream(file, end, random)), seed);
      List<String> read = read(LineSource.of(blocks(stream(file, end, random), 1 << 20)), seed);
      assertThat(read).as("seed %d", seed).isEqualTo(expected);
      assertThat(read.get(read.size() - 1)).isEqualTo("broken disk");
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"traces.jsonl", "traces.jsonl.gz"})
  void largeFile_isReadAsByOneThread(String name) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; lines.length() < 20 << 20; i++) {
      lines.append(COMPACT.replace("1e4036dae8a02856", String.format("%016x", 1 + i / 2)));
      if (i % 50 == 0) {
        lines.append("{\"resourceSpans\":[").append(LINES.get(i / 50 % LINES.size()));
        lines.append("\ngarbage\n");
      }
    }
    byte[] content = lines.toString().getBytes(UTF_8);
    boolean isGzip = name.endsWith(".gz");
    Path file = dir.resolve(name);
    Files.write(file, isGzip ? PlantedFile.gzip(content) : content);

    List<Span> expected = new ArrayList<>();
    ReadSummary summary = new TracesReader().read(file, expected::add);
    List<Span> read = new ArrayList<>();
    TracesReader reader = TracesReader.ofSeveralThreads(null, (bytes, ofBytes) -> {});
    assertThat(reader.read(file, read::add)).isEqualTo(summary);
    assertThat(text(read)).isEqualTo(text(expected));
    assertThat(summary.spans()).isGreaterThan(40_000);
    assertThat(summary.duplicates()).isGreaterThan(40_000);
    assertThat(summary.tornLines()).isGreaterThan(100);
    assertThat(summary.unreadableLines()).isGreaterThan(100);
  }

  @Test
  void heapThatIsFullOnAnotherThread_isAnErrorOfTheReader() throws Exception {
    Set<String> full =
        new AbstractSet<>() {
          @Override
          public boolean contains(Object attribute) {
            throw new OutOfMemoryError("planted");
          }

          @Override
          public Iterator<String> iterator() {
            throw new AssertionError();
          }

          @Override
          public int size() {
            return 1;
          }
        };
    InputStream in = new ByteArrayInputStream(COMPACT.repeat(9).getBytes(UTF_8));
    LineSource lines = LineSource.of(new BlocksAhead(in, new LineParsers(full, 2, 0), 1_000));
    assertThat(lines.nextLine()).isTrue();
    assertThatThrownBy(() -> lines.spans(new LineParser(null)))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("planted");
  }

  @Test
  void interruptedReader_endsWithAnException() throws Exception {
    InputStream in = new ByteArrayInputStream("{}\n".repeat(9).getBytes(UTF_8));
    LineSource lines = LineSource.of(blocks(in, 6));
    assertThat(lines.nextLine()).isTrue();
    Thread.currentThread().interrupt();
    try {
      lines.spans(new LineParser(null)); // or the exception, if another thread is still at it
    } catch (IOException e) {
      assertThat(e).hasMessage("interrupted");
    }
    assertThat(Thread.interrupted()).isTrue();
  }

  private static BlocksAhead blocks(InputStream in, int blockBytes) {
    return new BlocksAhead(in, new LineParsers(null, 2, 0), blockBytes);
  }

  /** What a reader sees of each line: its number, where it begins, and its spans or what failed. */
  private static List<String> read(LineSource lines, int seed) {
    Random random = new Random(seed);
    LineParser parser = new LineParser(null);
    List<String> seen = new ArrayList<>();
    try {
      while (lines.nextLine()) {
        String at = lines.lineNumber() + " at " + lines.offset() + ": ";
        if (random.nextInt(9) == 0) {
          continue; // skipped without a look
        }
        try {
          seen.add(at + text(lines.spans(parser)) + parser.isAfterTornPart());
        } catch (UnreadableLineException e) {
          seen.add(at + e.getMessage() + e.isCutOff());
        }
        if (random.nextBoolean()) {
          seen.add(lines.endsWithFile() + " " + lines.offset());
        }
      }
    } catch (IOException e) {
      seen.add(String.valueOf(e.getMessage()));
    }
    return seen;
  }

  /** Without the identities of arrays. */
  private static String text(List<Span> spans) {
    return spans.toString().replaceAll("\\[B@[0-9a-f]+", "bytes");
  }

  /** Gives pieces of any length, and fails at the end if that comes before the file's. */
  private static InputStream stream(byte[] file, int end, Random random) {
    return new FilterInputStream(new ByteArrayInputStream(file, 0, Math.min(end, file.length))) {
      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length == 0 ? 0 : 1 + random.nextInt(length));
        if (count < 0 && end < file.length) {
          throw new IOException("broken disk");
        }
        return count;
      }
    };
  }

  private static byte[] file(Random random) throws Exception {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    for (int i = random.nextInt(40); i >= 0; i--) {
      byte[] line = (LINES.get(random.nextInt(LINES.size())) + '\n').getBytes(UTF_8);
      switch (random.nextInt(9)) {
        case 0 -> file.write('\n');
        case 1 ->
            file.write(line, 0, random.nextInt(line.length)); // torn, and the next one with it
        case 2 -> file.write("garbage\n".getBytes(UTF_8));
        case 3 -> file.write((" " + new String(line, UTF_8)).getBytes(UTF_8)); // not compact
        case 4, 5 -> file.write(COMPACT.getBytes(UTF_8));
        default -> file.write(line);
      }
    }
    if (random.nextBoolean()) {
      file.write("{\"resourceSpans\":[]}".getBytes(UTF_8)); // no newline
    }
    return file.toByteArray();
  }
}
