package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.ThreadMXBean;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.OtlpJson;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.JsonLine;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.RequestEncoder;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.WireBuffer;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TracesWriterTest {

  private static final String LINE =
      """
      {"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[\
      {"traceId":"00000000000000000000000000000001","spanId":"0000000000000002",\
      "name":"a","startTimeUnixNano":"5","endTimeUnixNano":"8","status":{}}]}]}]}
      """;

  @TempDir Path dir;

  @Test
  void missingDirectories_areMade() throws Exception {
    Path file = dir.resolve("a/b/traces.jsonl");
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      assertThat(write(writer, request(2))).isEqualTo(1);
      assertThat(file).hasContent(LINE);
    }
  }

  @ParameterizedTest
  @CsvSource({"'', ''", "'{}\n', '{}\n'", "'{\"resourceSp', '{\"resourceSp\n'", "'{}', '{}\n'"})
  void existingFile_isAppendedToAfterANewline(String before, String kept) throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(file, before);
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      write(writer, request(2));
    }
    assertThat(Files.readString(file)).isEqualTo(kept + LINE);
  }

  /** From the network, JSON of short numbers is refused; as protobuf it is small enough. */
  @Test
  void largeHistogramInProtobuf_isALineThatCanBeReadAgain() throws Exception {
    Path file = dir.resolve("metrics.jsonl");
    RequestEncoder encoder = new RequestEncoder();
    byte[] json =
        """
        {"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"h","histogram":{"dataPoints":[\
        {"bucketCounts":[%s1]}]}}]}]}]}"""
            .formatted("1,".repeat(600_000))
            .getBytes(UTF_8);
    encoder.encode(json, 0, json.length, Signal.METRICS);
    try (TracesWriter writer =
        TracesWriter.open(file.toFile(), Signal.METRICS, FileRules.DEFAULT)) {
      assertThatThrownBy(() -> writer.writeJson(json, 0, json.length))
          .isInstanceOf(MalformedRequestException.class)
          .hasMessageStartingWith("too many numbers in bucketCounts");
      assertThat(writer.write(encoder.bytes(), 0, encoder.length())).isOne();
    }
    assertThat((long) encoder.length()).isGreaterThan(2 * Files.size(file));
    List<Signal> read = new ArrayList<>();
    ReadSummary summary =
        new RequestReader(CallJoins.NONE, line -> {})
            .read(file, (signal, request, records) -> read.add(signal));
    assertThat(read).containsExactly(Signal.METRICS);
    assertThat(summary.unreadableLines()).isZero();
  }

  /** Deleted alone or with its directory, or moved away as by log rotation. */
  @ParameterizedTest
  @ValueSource(strings = {"deleted", "directory deleted", "moved"})
  void fileThatIsGone_isMadeAgainWithTheNextLineAndSaidOnce(String how) throws Exception {
    Path file = dir.resolve("a/traces.jsonl");
    List<String> told = new ArrayList<>();
    try (TracesWriter writer =
        TracesWriter.open(file.toFile(), Signal.TRACES, FileRules.DEFAULT, told::add)) {
      write(writer, request(2));
      assertThat(told).isEmpty();
      for (int i = 0; i < 2; i++) {
        if (how.equals("moved")) {
          Files.move(file, dir.resolve("a/before-" + i + ".jsonl"));
        } else {
          Files.delete(file);
        }
        if (how.startsWith("directory")) {
          Files.delete(file.getParent());
        }
        write(writer, request(2));
        assertThat(Files.readString(file)).isEqualTo(LINE);
      }
      write(writer, request(2));
      assertThat(Files.readString(file)).isEqualTo(LINE + LINE);
    }
    assertThat(told).singleElement().asString().contains("traces.jsonl was deleted or moved away");
  }

  @Test
  void requestWithoutSpans_writesNothing() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      assertThat(write(writer, new byte[0])).isZero();
      assertThat(write(writer, Requests.of(List.of(), "service.name", "x"))).isZero();
    }
    assertThat(file).isEmptyFile();
  }

  @Test
  void malformedRequest_writesNothingAndSpoilsNoLaterOne() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      byte[] cut = request(3);
      assertThatThrownBy(() -> writer.write(cut, 0, cut.length - 1))
          .isInstanceOf(MalformedRequestException.class);
      write(writer, request(2));
    }
    assertThat(Files.readString(file)).isEqualTo(LINE);
  }

  @Test
  void failedWrite_isRepeatedOnALineOfItsOwn() throws Exception {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    Path file = dir.resolve("traces.jsonl");
    Files.createSymbolicLink(file, full);
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      assertThatThrownBy(() -> write(writer, request(2))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(writer, request(2))).isInstanceOf(IOException.class);
      Files.delete(file);
      Files.writeString(file, LINE.substring(0, 30)); // as a full disk leaves it
      write(writer, request(2));
      write(writer, request(2));
    }
    assertThat(Files.readString(file)).isEqualTo(LINE.substring(0, 30) + "\n" + LINE + LINE);
  }

  @Test
  void linkWhereTheCompressedFileIsToBe_isNotFollowed() throws Exception {
    Path others = Files.writeString(dir.resolve("others"), "precious");
    Path full = Files.writeString(dir.resolve("full.jsonl"), LINE);
    Files.createSymbolicLink(dir.resolve("full.jsonl.gz.part"), others);
    FileRotation.compress(full, null);
    assertThat(others).hasContent("precious");
    assertThat(dir.resolve("full.jsonl.gz")).isRegularFile();
  }

  @ParameterizedTest
  @CsvSource({"1000, 0, false, 9", "1000, 0, true, 9", "0, 5, false, 7", "0, 5, true, 7"})
  void fullFile_isSetAsideAndNothingIsLost(long maxBytes, long maxLines, boolean isGzip, int files)
      throws Exception {
    Path file = dir.resolve("traces.jsonl");
    FileRules rules = new FileRules(maxBytes, maxLines, isGzip, true);
    for (int run = 0; run < 2; run++) {
      try (TracesWriter writer = TracesWriter.open(file.toFile(), Signal.TRACES, rules)) {
        for (int i = 1; i <= 17; i++) {
          write(writer, request(run * 100L + i));
        }
      }
    }
    ReadSummary summary = new TracesReader().read(dir, span -> {});
    assertThat(summary.spans()).isEqualTo(34);
    assertThat(summary.duplicates() + summary.tornLines() + summary.unreadableLines()).isZero();
    assertThat(summary.files()).hasSize(files);
    assertThat(summary.files())
        .filteredOn(path -> !path.endsWith("traces.jsonl"))
        .allMatch(
            path ->
                path.getFileName()
                    .toString()
                    .matches(
                        "traces-\\d{4}-\\d\\d-\\d\\dT[-0-9]+[.]\\d{3}(-\\d+)?[.]jsonl"
                            + (isGzip ? "[.]gz" : "")));
  }

  @Test
  void json_isWrittenInTheSameForm() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      byte[] line = LINE.getBytes(UTF_8);
      assertThat(writer.writeJson(line, 0, line.length)).isEqualTo(1);
      byte[] none = "{}".getBytes(UTF_8);
      assertThat(writer.writeJson(none, 0, none.length)).isZero();
      byte[] array = "[]".getBytes(UTF_8);
      assertThatThrownBy(() -> writer.writeJson(array, 0, array.length))
          .isInstanceOf(MalformedRequestException.class)
          .hasMessage("the request is not an object");
    }
    assertThat(Files.readString(file)).isEqualTo(LINE);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"a", "abcdefg\u2028", "\ud83d\ude80", "\"", "12345678"})
  void giantLine_isWrittenInPieces(String text) throws Exception {
    Path file = dir.resolve("traces.jsonl");
    String name = text.repeat(3 * JsonLine.MAX_CAPACITY_BYTES / text.length());
    byte[] giant = Requests.of(List.of(Requests.span(1, 2, 0, name, 5, 3)));
    FileRules rules = new FileRules(4L * giant.length, 0, false, false);
    try (TracesWriter writer = TracesWriter.open(file.toFile(), Signal.TRACES, rules)) {
      assertThat(write(writer, giant)).isEqualTo(1);
      assertThatThrownBy(() -> writer.write(giant, 0, giant.length - 1))
          .isInstanceOf(MalformedRequestException.class);
      assertThat(write(writer, request(2))).isEqualTo(1);
    }
    String escaped = name.replace("\"", "\\\"").replace("\u2028", "\\u2028");
    String line = LINE.replace("\"a\"", '"' + escaped + '"');
    // Compared so that a failure does not print megabytes.
    assertThat(Files.readString(file).equals(line + LINE)).isTrue();
  }

  @Test
  void failedGiantLine_leavesNothing() throws Exception {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    Path file = dir.resolve("traces.jsonl");
    Files.createSymbolicLink(file, full);
    String name = "a".repeat(3 * JsonLine.MAX_CAPACITY_BYTES);
    byte[] giant = Requests.of(List.of(Requests.span(1, 2, 0, name, 5, 3)));
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      assertThatThrownBy(() -> write(writer, giant)).isInstanceOf(IOException.class);
      Files.delete(file);
      write(writer, request(2));
    }
    assertThat(Files.readString(file)).isEqualTo(LINE);
  }

  /** It is translated twice. Memory may end in between; here, the request changes. */
  @Test
  void giantLineThatFailsOnTheWay_leavesNothing() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    byte[] giant =
        Requests.of(
            List.of(
                Requests.span(1, 2, 0, "a".repeat(3 * JsonLine.MAX_CAPACITY_BYTES), 5, 3),
                Requests.span(1, 3, 0, "~", 5, 3)));
    int last = giant.length - 1;
    while (giant[last] != '~') {
      last--;
    }
    int changed = last;
    byte[] next = {'~'};
    RunBytes changing = // is asked after the first translation
        new RunBytes(
            dir.toFile(),
            new RunBytes.Terms(0, 1L << 40),
            () -> 1L << 41,
            () -> giant[changed] = next[0]);
    FileRules rules = FileRules.DEFAULT.within(changing);
    try (TracesWriter writer = TracesWriter.open(file.toFile(), Signal.TRACES, rules)) {
      write(writer, request(2));
      next[0] = (byte) 0xff; // begins no character
      assertThatThrownBy(() -> write(writer, giant)).hasMessageContaining("invalid UTF-8 in name");
      write(writer, request(2));
    }
    assertThat(Files.readString(file).equals(LINE + LINE)).isTrue();
  }

  @Tag("campaign")
  @Test
  void writing_allocatesNextToNothing() throws Exception {
    List<Span> spans = new ArrayList<>();
    for (int i = 1; i <= 512; i++) {
      spans.add(Requests.span(1, i, 1, "worker.generate", 1_795_245_881_708_247_994L, i));
    }
    byte[] request = Requests.of(spans, "service.name", "actor_train");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    assumeThat(threads.isThreadAllocatedMemoryEnabled()).isTrue();
    try (TracesWriter writer = TracesWriter.open(dir.resolve("traces.jsonl").toFile())) {
      for (int i = 0; i < 20; i++) {
        write(writer, request); // the buffer grows to its size
      }
      long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      for (int i = 0; i < 100; i++) {
        write(writer, request);
      }
      long after = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      assertThat((after - before) / 100).as("bytes a request").isLessThan(request.length / 10);
    }
  }

  @Test
  void closedWriter_refuses() throws Exception {
    TracesWriter writer = TracesWriter.open(dir.resolve("traces.jsonl").toFile());
    writer.close();
    writer.close();
    assertThatThrownBy(() -> write(writer, request(2))).isInstanceOf(IOException.class);
  }

  @Test
  void directoryInPlaceOfTheFile_isAnIoException() {
    File file = dir.toFile();
    assertThatThrownBy(() -> TracesWriter.open(file)).isInstanceOf(IOException.class);
  }

  @Test
  void tooLargeRequest_isRefused() throws Exception {
    try (TracesWriter writer = TracesWriter.open(dir.resolve("traces.jsonl").toFile())) {
      byte[] large = new byte[WireBuffer.MAX_REQUEST_BYTES + 1];
      assertThatThrownBy(() -> write(writer, large))
          .isInstanceOf(MalformedRequestException.class)
          .hasMessage("request of 67108865 bytes, more than 67108864");
    }
  }

  @Test
  void severalThreads_writeWholeLines() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int i = 1; i <= 200; i++) {
        byte[] request = request(i);
        tasks.add(() -> write(writer, request));
      }
      for (Future<Integer> written : threads.invokeAll(tasks)) {
        assertThat(written.get()).isEqualTo(1);
      }
    } finally {
      threads.shutdown();
    }
    for (String line : Files.readAllLines(file, UTF_8)) {
      assertThat(OtlpJson.parse(line.getBytes(UTF_8))).isNotNull();
    }
    assertThat(new TracesReader().read(file, span -> {}).spans()).isEqualTo(200);
  }

  private static byte[] request(long spanId) {
    return Requests.of(List.of(Requests.span(1, spanId, 0, "a", 5, 3)));
  }

  private static int write(TracesWriter writer, byte[] request) throws Exception {
    return writer.write(request, 0, request.length);
  }
}
