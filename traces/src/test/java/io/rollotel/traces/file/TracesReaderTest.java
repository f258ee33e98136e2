package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.SpanEvent;
import io.rollotel.traces.otlp.UnreadableLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TracesReaderTest {

  private static final String TRACE_ID = "00000000499602d20000000000000031";

  /** As otelcol 0.161 writes it. */
  private static final String OTELCOL =
      """
      {"resourceSpans":[{"resource":{"attributes":[\
      {"key":"service.name","value":{"stringValue":"svc"}},\
      {"key":"process.pid","value":{"intValue":"40000"}}]},\
      "scopeSpans":[{"scope":{"name":"worker","version":"1.0.0"},"spans":[\
      {"traceId":"00000000499602d20000000000000031","spanId":"1e4036dae8a02856",\
      "parentSpanId":"a7d92872909fc929","flags":257,"name":"worker.update_weights","kind":2,\
      "startTimeUnixNano":"1795245881708247994","endTimeUnixNano":"1795245881709756625",\
      "attributes":[{"key":"worker.rank","value":{"intValue":"63"}}],\
      "events":[{"timeUnixNano":"5","name":"e","attributes":[{"key":"a","value":{}}]}],\
      "status":{"message":"...","code":2}}]}]}]}
      """;

  /** As ROLL writes it, and with the further freedom that protobuf's JSON has. */
  private static final String ROLL =
      """
      {"resourceSpans": [{"scopeSpans": [{"spans": [\
      {"traceId":"00000000499602D20000000000000031","spanId":"1E4036DAE8A02856",\
      "parentSpanId":"A7D92872909FC929","name":"worker.update_weights",\
      "kind":"SPAN_KIND_SERVER","startTimeUnixNano":1795245881708247994,\
      "endTimeUnixNano":"1795245881709756625",\
      "attributes":[{"key":"worker.rank","value":{"intValue":63}}],\
      "events":[{"attributes":[{"key":"a","value":{}}],"name":"e","timeUnixNano":5}],"links":[],\
      "status":{"message":"...","code":"STATUS_CODE_ERROR"},"flags":257}],\
      "scope":{"version":"1.0.0","name":"worker"}}],\
      "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}},\
      {"value":{"intValue":"40000"},"key":"process.pid"}]},"schemaUrl":null}]}
      """;

  @TempDir Path dir;

  @Test
  void lineOfOtelcol_isRead() throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), OTELCOL);
    assertThat(read(dir).spans)
        .containsExactly(
            new Span(
                TRACE_ID,
                "1e4036dae8a02856",
                "a7d92872909fc929",
                "worker.update_weights",
                2,
                1795245881708247994L,
                1795245881709756625L,
                Map.of("worker.rank", 63L),
                Span.STATUS_ERROR,
                new Resource(Map.of("service.name", "svc", "process.pid", 40000L)),
                "worker",
                "...",
                1,
                "",
                List.of(new SpanEvent("e", 5, Map.of("a", ""))),
                List.of()));
  }

  @Test
  void lineOfRoll_isTheSameSpan() throws Exception {
    Files.writeString(dir.resolve("a.jsonl"), OTELCOL);
    Path file = dir.resolve("b.jsonl");
    Files.writeString(file, ROLL);
    assertThat(read(file).spans).isEqualTo(read(dir.resolve("a.jsonl")).spans);
    assertThat(read(dir).summary)
        .isEqualTo(
            new ReadSummary(
                List.of(dir.toRealPath().resolve("a.jsonl"), dir.toRealPath().resolve("b.jsonl")),
                1,
                1,
                0,
                0,
                List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"stringValue":"x"}                                | x
          {"stringValue":""}                                 | ``
          {"boolValue":true}                                 | true
          {"intValue":"-9223372036854775808"}                | -9223372036854775808
          {"intValue":7}                                     | 7
          {"doubleValue":3}                                  | 3.0
          {"doubleValue":1e-07}                              | 1.0E-7
          {"doubleValue":"NaN"}                              | NaN
          {"doubleValue":"-Infinity"}                        | -Infinity
          {"arrayValue":{"values":[{"intValue":"1"},{},{"stringValue":"b"}]}} | [1, , b]
          {"arrayValue":{}}                                  | []
          {"kvlistValue":{"values":[{"key":"k","value":{"boolValue":false}}]}} | {k=false}
          {}                                                 | ``
          null                                               | ``
          {"unheardOf":{"deep":[1,{}]}}                      | ``
          """)
  void attributeValue_isRead(String json, String text) throws Exception {
    String value = "{\"key\":\"a\",\"value\":" + json + "}";
    Files.writeString(dir.resolve("traces.jsonl"), span(1, "\"attributes\":[" + value + "]"));
    assertThat(read(dir).spans.get(0).attributes().get("a")).hasToString(text);
  }

  @Test
  void bytesAndMissingValue_areRead() throws Exception {
    String attributes =
        "\"attributes\":[{\"key\":\"b\",\"value\":{\"bytesValue\":\"AP8=\"}},{\"key\":\"none\"}]";
    Files.writeString(dir.resolve("traces.jsonl"), span(1, attributes));
    Map<String, Object> read = read(dir).spans.get(0).attributes();
    assertThat(read.get("b")).isEqualTo(new byte[] {0, -1});
    assertThat(read.get("none")).isEqualTo("");
  }

  @Test
  void absentFields_areZeroAndEmpty() throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), span(1, "\"parentSpanId\":\"\""));
    assertThat(read(dir).spans)
        .containsExactly(
            new Span(
                TRACE_ID,
                "0000000000000001",
                "",
                "",
                0,
                0,
                0,
                Map.of(),
                0,
                new Resource(Map.of()),
                "",
                ""));
  }

  @Test
  void zeroParent_isNone() throws Exception {
    Files.writeString(
        dir.resolve("traces.jsonl"), span(1, "\"parentSpanId\":\"0000000000000000\""));
    assertThat(read(dir).spans.get(0).parentSpanId()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}\n", "\n", "\r\n", "   \n", "{\"resourceSpans\":[]}\n", "{}", ""})
  void lineWithoutSpans_isNoTrouble(String line) throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), span(1, "") + line);
    Read read = read(dir);
    assertThat(read.spans).hasSize(1);
    assertThat(read.summary.tornLines() + read.summary.unreadableLines()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          not JSON                           | Unrecognized token 'not'
          []                                 | the line is not an object
          null                               | the line is null
          7                                  | the line is not an object
          {}{}                               | more than one JSON value
          {"resourceSpans":7}                | resourceSpans is not an array
          {"resourceSpans":[7]}              | resourceSpans is not an object
          {"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]} | span without traceId or spanId
          {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00"}]}]}]} | traceId of 2 digits
          {"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"000000000000000g"}]}]}]} | not hex
          {"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":"NEW"}]}]}]} | kind is not a number
          {"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"-1"}]}]}]} | not a number
          {"resourceSpans":[{"scopeSpans":[{"spans":[{"name":["x"]}]}]}]} | name is not a scalar
          """)
  void unreadableLine_isNamedAndSkipped(String line, String reason) throws Exception {
    Path file = dir.resolve("traces.jsonl");
    Files.writeString(file, span(1, "") + line + "\n" + span(2, ""));
    Read read = read(dir);
    assertThat(read.spans).hasSize(2);
    assertThat(read.summary.unreadableLines()).isEqualTo(1);
    UnreadableLine unreadable = read.summary.firstUnreadable().get(0);
    assertThat(unreadable.file()).isEqualTo(file.toRealPath());
    assertThat(unreadable.lineNumber()).isEqualTo(2);
    assertThat(unreadable.reason()).contains(reason);
  }

  /** What a disk may have of a line after a loss of power: Jackson guesses UTF-32 from zeros. */
  @ParameterizedTest
  @ValueSource(
      strings = {"\0\0\0\0rest of it", "\0\0\1\0rest", "\0\0\0{rest", "{\0\0\0rest", "\0\0\0\0"})
  void lineOfNoKnownEncoding_isNamedAndSkipped(String line) throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), span(1, "") + line + "\n" + span(2, ""));
    Read read = read(dir);
    assertThat(read.spans).hasSize(2);
    assertThat(read.summary.unreadableLines()).isEqualTo(1);
  }

  @Test
  void manyUnreadableLines_areCountedAndTheFirstNamed() throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), "x\n".repeat(50));
    ReadSummary summary = read(dir).summary;
    assertThat(summary.unreadableLines()).isEqualTo(50);
    assertThat(summary.firstUnreadable()).hasSize(20);
    assertThat(summary.firstUnreadable().get(19).lineNumber()).isEqualTo(20);
  }

  @Test
  void manyUnreadableLines_hideNoOtherFile() throws Exception {
    Files.writeString(dir.resolve("a.jsonl"), "x\n".repeat(50));
    for (int i = 10; i < 40; i++) {
      Files.writeString(dir.resolve("b" + i + ".jsonl"), "y\ny\n");
    }
    List<UnreadableLine> first = read(dir).summary.firstUnreadable();
    assertThat(first).hasSize(40);
    assertThat(first.subList(20, 40)).extracting(UnreadableLine::lineNumber).containsOnly(1L);
    assertThat(first.get(39).file().getFileName()).hasToString("b29.jsonl");
  }

  @Test
  void lineCutOffAnywhereAtTheEnd_isTorn() throws Exception {
    Path file = dir.resolve("traces.jsonl");
    byte[] last = OTELCOL.getBytes(UTF_8);
    for (int length = 1; length < last.length; length++) {
      Files.writeString(file, span(1, ""));
      Files.write(file, Arrays.copyOf(last, length), StandardOpenOption.APPEND);
      Read read = read(dir);
      boolean isWhole = length == last.length - 1; // the newline alone is missing
      assertThat(read.spans).as("cut at %d", length).hasSize(isWhole ? 2 : 1);
      assertThat(read.summary.tornLines()).as("cut at %d", length).isEqualTo(isWhole ? 0 : 1);
      assertThat(read.summary.unreadableLines()).isZero();
    }
  }

  @Test
  void longLines_areReadAcrossBuffers() throws Exception {
    // Lengths around the reader's buffer of 64 KiB, and one far beyond.
    List<String> names = new ArrayList<>();
    StringBuilder file = new StringBuilder();
    for (int length : new int[] {65300, 65400, 65500, 131072, 10_000_000, 1}) {
      names.add("n".repeat(length));
      file.append(span(names.size(), "\"name\":\"" + names.get(names.size() - 1) + "\""));
      file.append("garbage ").append("g".repeat(length)).append('\n');
    }
    Files.writeString(dir.resolve("traces.jsonl"), file);
    Read read = read(dir);
    assertThat(read.spans).extracting(Span::name).isEqualTo(names);
    assertThat(read.summary.unreadableLines()).isEqualTo(6);
  }

  @Test
  void linesOfAnyLength_areReadAcrossBuffers() throws Exception {
    Random random = new Random(4);
    for (int round = 0; round < 6; round++) {
      List<String> names = new ArrayList<>();
      StringBuilder file = new StringBuilder();
      while (file.length() < 5 << 20) { // several buffers
        names.add("n".repeat(1 + random.nextInt(1 << random.nextInt(21))));
        file.append(span(names.size(), "\"name\":\"" + names.get(names.size() - 1) + "\""));
        file.append(random.nextInt(4) == 0 ? "\n" : "");
      }
      if (round % 2 == 0) {
        file.setLength(file.toString().stripTrailing().length()); // no newline at the end
      }
      Files.writeString(dir.resolve("traces.jsonl"), file);
      Read read = read(dir);
      assertThat(read.spans).extracting(Span::name).isEqualTo(names);
      assertThat(read.summary.unreadableLines() + read.summary.tornLines()).isZero();
    }
  }

  @Test
  void allFilesBelowTheDirectory_areRead() throws Exception {
    Path traces = Files.createDirectories(dir.resolve("traces/more"));
    Files.writeString(dir.resolve("traces/traces.jsonl"), span(1, ""));
    Files.writeString(dir.resolve("traces/traces.1.jsonl"), span(2, ""));
    Files.writeString(traces.resolve("host-17-a1.jsonl"), span(3, "") + span(1, ""));
    Files.write(
        dir.resolve("traces/old.jsonl.gz"), PlantedFile.gzip((span(4, "")).getBytes(UTF_8)));
    Files.writeString(dir.resolve("traces/notes.txt"), span(5, ""));
    Files.writeString(dir.resolve("beside.jsonl"), span(6, ""));
    assertThat(read(dir).summary.spans()).isEqualTo(4);
    assertThat(read(dir).summary.duplicates()).isEqualTo(1);
    assertThat(read(dir).summary.files()).hasSize(4);
    assertThat(read(dir.resolve("traces")).summary.spans()).isEqualTo(4);
    assertThat(read(dir.resolve("traces/old.jsonl.gz")).summary.spans()).isEqualTo(1);
    assertThat(read(dir.resolve("traces/notes.txt")).summary.spans()).isEqualTo(1);
  }

  @Test
  void linkedDirectory_isRead() throws Exception {
    Path real = Files.createDirectories(dir.resolve("real/traces"));
    Files.writeString(real.resolve("traces.jsonl"), span(1, ""));
    Path link = Files.createSymbolicLink(dir.resolve("link"), dir.resolve("real"));
    assertThat(read(link).summary.spans()).isEqualTo(1);
  }

  @Test
  void cutOffGzip_isReadToTheCut() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= 5000; i++) {
      lines.append(span(i, "\"name\":\"" + Integer.toHexString(i * 0x9e3779b9) + "\""));
    }
    byte[] whole = PlantedFile.gzip((lines.toString()).getBytes(UTF_8));
    Files.write(dir.resolve("traces.jsonl.gz"), Arrays.copyOf(whole, whole.length / 2));
    ReadSummary summary = read(dir).summary;
    assertThat(summary.spans()).isBetween(1000L, 4000L);
    assertThat(summary.tornLines()).isEqualTo(1);
    assertThat(summary.unreadableLines()).isZero();
  }

  @Test
  void fileThatIsNoGzip_isNamedAndTheOthersRead() throws Exception {
    Files.writeString(dir.resolve("a.jsonl.gz"), "no gzip at all");
    Files.writeString(dir.resolve("b.jsonl"), span(1, ""));
    Read read = read(dir);
    assertThat(read.spans).hasSize(1);
    assertThat(read.summary.firstUnreadable().get(0).reason()).contains("Not in GZIP format");
  }

  @Test
  void missingDirectory_isAnException() {
    assertThatThrownBy(() -> read(dir.resolve("none"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void reader_knowsWhatItHasRead() throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), span(1, ""));
    TracesReader reader = new TracesReader();
    assertThat(reader.read(dir, span -> {}).spans()).isEqualTo(1);
    assertThat(reader.read(dir, span -> {}).duplicates()).isEqualTo(1);
    assertThat(reader.hasRead(TRACE_ID, "0000000000000001")).isTrue();
    assertThat(reader.hasRead(TRACE_ID, "0000000000000002")).isFalse();
  }

  @Test
  void whatTheWriterWrites_isRead() throws Exception {
    RandomRequests requests = new RandomRequests(5);
    int written = 0;
    try (TracesWriter writer = TracesWriter.open(dir.resolve("traces.jsonl").toFile())) {
      for (int i = 0; i < 500; i++) {
        byte[] request = requests.request().toByteArray();
        written += writer.write(request, 0, request.length);
      }
    }
    ReadSummary summary = read(dir).summary;
    assertThat(summary.firstUnreadable()).isEmpty();
    assertThat(summary.spans()).isEqualTo(written);
  }

  private static String span(int id, String more) {
    return String.format(
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"%s\",\"spanId\":\"%016x\"%s}]}]}]}%n",
        TRACE_ID, id, more.isEmpty() ? "" : "," + more);
  }

  private static Read read(Path where) throws IOException {
    List<Span> spans = new ArrayList<>();
    ReadSummary summary = new TracesReader().read(where, spans::add);
    return new Read(spans, summary);
  }

  private record Read(List<Span> spans, ReadSummary summary) {}
}
