package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.report.ReportOptions;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ExportTest {

  private static final long START = Planted.START;
  private static final String HOSTILE = "</script>,\"\u2028\n=1+1";

  @TempDir Path dir;

  /** A driver that calls two workers on another host, one of them twice at once. */
  @BeforeEach
  void run() throws Exception {
    Span step =
        Requests.span(1, 1, 0, "pipeline_step", START, 100_000).toBuilder()
            .addAttributes(attribute("global_step", AnyValue.newBuilder().setIntValue(3)))
            .build();
    Span hostile =
        Requests.span(1, 5, 2, HOSTILE, START + 20_000, 1_000).toBuilder()
            .addAttributes(attribute(HOSTILE, AnyValue.newBuilder().setStringValue(HOSTILE)))
            .addAttributes(attribute("nan", AnyValue.newBuilder().setDoubleValue(Double.NaN)))
            .addAttributes(
                attribute(
                    "list",
                    AnyValue.newBuilder()
                        .setArrayValue(
                            ArrayValue.newBuilder()
                                .addValues(AnyValue.newBuilder().setBoolValue(true)))))
            .build();
    Span call =
        Requests.failed(Requests.span(1, 2, 1, "worker.generate", START + 10_000, 70_001))
            .toBuilder()
            .addAttributes(attribute("roll.queue_ns", AnyValue.newBuilder().setIntValue(2_000)))
            .build();
    PlantedFile.write(
        dir.resolve("traces.jsonl"),
        Requests.of(List.of(step), process("driver", "node1", "d:1")),
        Requests.of(
            List.of(
                call,
                Requests.span(1, 3, 1, "worker.generate", START + 15_000, 70_000),
                hostile,
                Requests.span(1, 6, 0, "no times", 0, 0)),
            process("actor", "node2", "w:1")),
        Requests.of(
            List.of(Requests.span(1, 4, 1, "worker.generate", START + 10_000, 60_000)),
            process("actor", "node2", "w:2")));
  }

  @Test
  void perfetto_isWhatTheFormatAsksFor() throws Exception {
    Map<String, Object> trace = map(Json.parse(export(Export.Format.PERFETTO)));
    assertThat(trace.get("displayTimeUnit")).isEqualTo("ns");
    List<Map<String, Object>> slices = new ArrayList<>();
    List<Map<String, Object>> begins = new ArrayList<>();
    List<Map<String, Object>> ends = new ArrayList<>();
    List<Object> tracks = new ArrayList<>();
    for (Object entry : (List<?>) trace.get("traceEvents")) {
      Map<String, Object> event = map(entry);
      assertThat(event.get("name")).isInstanceOf(String.class);
      assertThat(event.get("pid")).isInstanceOf(BigDecimal.class);
      assertThat(event.get("tid")).isInstanceOf(BigDecimal.class);
      switch ((String) event.get("ph")) {
        case "X" -> slices.add(event);
        case "s" -> begins.add(event);
        case "f" -> ends.add(event);
        case "M" -> tracks.add(event.get("name") + " " + map(event.get("args")).get("name"));
        default -> throw new AssertionError(event);
      }
    }
    assertThat(tracks)
        .contains(
            "process_name node1",
            "process_name node2",
            "thread_name driver d:1",
            "thread_name actor w:1",
            "thread_name actor w:1 +1",
            "thread_name actor w:2");
    // Whole nanoseconds, in microseconds since the start; nested or apart on each track.
    assertThat(slices).hasSize(5);
    assertThat(slices.get(0))
        .containsEntry("name", "pipeline_step")
        .containsEntry("ts", new BigDecimal("0.000"))
        .containsEntry("dur", new BigDecimal("100.000"));
    for (Map<String, Object> a : slices) {
      for (Map<String, Object> b : slices) {
        if (a != b && a.get("pid").equals(b.get("pid")) && a.get("tid").equals(b.get("tid"))) {
          assertThat(isApart(a, b) || isWithin(a, b) || isWithin(b, a)).isTrue();
        }
      }
    }
    Map<String, Object> odd =
        slices.stream()
            .filter(slice -> slice.get("name").equals(HOSTILE))
            .findFirst()
            .orElseThrow();
    assertThat(map(odd.get("args")))
        .containsEntry(HOSTILE, HOSTILE)
        .containsEntry("nan", "NaN")
        .containsEntry("list", List.of(true))
        .containsEntry("parent_span_id", "0000000000000002");
    // An arrow for each call, from within a slice of the driver's to the start of the worker's.
    assertThat(begins).hasSize(3);
    Set<Object> ids = new HashSet<>();
    for (Map<String, Object> begin : begins) {
      assertThat(ids.add(begin.get("id"))).isTrue();
      Map<String, Object> end =
          ends.stream().filter(f -> f.get("id").equals(begin.get("id"))).findFirst().orElseThrow();
      assertThat(end.get("bp")).isEqualTo("e");
      assertThat(end.get("cat")).isEqualTo(begin.get("cat"));
      assertThat(slices)
          .anyMatch(slice -> holds(slice, begin) && slice.get("name").equals("pipeline_step"));
      assertThat(slices)
          .anyMatch(slice -> holds(slice, end) && slice.get("ts").equals(end.get("ts")));
    }
    assertThat(begins)
        .extracting(begin -> begin.get("ts").toString())
        .containsExactlyInAnyOrder("8.000", "10.000", "15.000");
  }

  @Test
  void perfettoOfACallInsideARequest_hasAnArrowFromItsSender() throws Exception {
    Span call =
        Requests.span(1, 4, 1, "worker.generate", START + 30_000, 40_000).toBuilder()
            .addAttributes(
                attribute("roll.around", AnyValue.newBuilder().setStringValue("0000000000000003")))
            .build();
    Files.delete(dir.resolve("traces.jsonl"));
    PlantedFile.write(
        dir.resolve("traces.jsonl"),
        Requests.of(
            List.of(
                Requests.span(1, 1, 0, "pipeline_step", START, 100_000),
                Requests.span(1, 2, 1, "POST", START + 10_000, 80_000)),
            process("driver", "node1", "d:1")),
        Requests.of(
            List.of(Requests.span(1, 3, 2, "POST /call", START + 20_000, 60_000), call),
            process("actor", "node1", "w:1")));
    Map<String, Object> trace = map(Json.parse(export(Export.Format.PERFETTO, 4)));
    assertThat((List<?>) trace.get("traceEvents"))
        .extracting(ExportTest::map)
        .filteredOn(event -> event.get("ph").equals("f"))
        .extracting(event -> event.get("ts").toString())
        .containsExactlyInAnyOrder("20.000", "30.000");
    assertThat(export(Export.Format.CSV, 4)).contains("0000000000000004,0000000000000001,");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object json) {
    return (Map<String, Object>) Objects.requireNonNull(json);
  }

  private static boolean isApart(Map<String, Object> a, Map<String, Object> b) {
    return end(a).compareTo(start(b)) <= 0 || end(b).compareTo(start(a)) <= 0;
  }

  private static boolean isWithin(Map<String, Object> a, Map<String, Object> b) {
    return start(a).compareTo(start(b)) >= 0 && end(a).compareTo(end(b)) <= 0;
  }

  private static boolean holds(Map<String, Object> slice, Map<String, Object> arrow) {
    return slice.get("pid").equals(arrow.get("pid"))
        && slice.get("tid").equals(arrow.get("tid"))
        && start(slice).compareTo(start(arrow)) <= 0
        && end(slice).compareTo(start(arrow)) >= 0;
  }

  private static BigDecimal start(Map<String, Object> event) {
    return (BigDecimal) event.get("ts");
  }

  private static BigDecimal end(Map<String, Object> slice) {
    return start(slice).add((BigDecimal) slice.get("dur"));
  }

  @Test
  @SuppressWarnings("unchecked")
  void jaeger_hasTracesSpansAndProcesses() throws Exception {
    Map<String, Object> file = map(Json.parse(export(Export.Format.JAEGER)));
    List<?> data = (List<?>) file.get("data");
    assertThat(data).hasSize(1);
    Map<String, Object> trace = map(data.get(0));
    assertThat(trace.get("traceID")).isEqualTo("00000000000000000000000000000001");
    Map<String, Object> processes = map(trace.get("processes"));
    assertThat(processes).hasSize(3);
    List<?> spans = (List<?>) trace.get("spans");
    assertThat(spans).hasSize(5);
    for (Object entry : spans) {
      Map<String, Object> span = map(entry);
      assertThat(processes.get(span.get("processID"))).isNotNull();
      assertThat(span.get("traceID")).isEqualTo(trace.get("traceID"));
    }
    Map<String, Object> call =
        spans.stream()
            .map(ExportTest::map)
            .filter(span -> span.get("spanID").equals("0000000000000002"))
            .findFirst()
            .orElseThrow();
    assertThat(call.get("operationName")).isEqualTo("worker.generate");
    assertThat(call.get("startTime")).isEqualTo(BigDecimal.valueOf(START / 1000 + 10));
    assertThat(call.get("duration")).isEqualTo(BigDecimal.valueOf(70));
    assertThat(call.get("references"))
        .isEqualTo(
            List.of(
                Map.of(
                    "refType", "CHILD_OF",
                    "traceID", "00000000000000000000000000000001",
                    "spanID", "0000000000000001")));
    assertThat((List<Object>) call.get("tags"))
        .contains(
            (Object)
                Map.of("key", "roll.queue_ns", "type", "int64", "value", BigDecimal.valueOf(2000)))
        .contains((Object) Map.of("key", "error", "type", "bool", "value", true));
  }

  @Test
  void csv_hasARowForEachSpan() throws Exception {
    String csv = export(Export.Format.CSV);
    assertThat(csv)
        .startsWith("run,trace_id,span_id,parent_span_id,name,")
        .contains(
            "r1,00000000000000000000000000000001,0000000000000002,0000000000000001,"
                + "worker.generate,0,actor,w:1,,node2,,1795269422000010000,1795269422000080001,"
                + "70001,69001,0,2000,1,,1\r\n")
        .contains("\"</script>,\"\"\u2028\n=1+1\"")
        .contains("no times,0,actor,w:1,,node2,,,,,,,,0,,1\r\n");
  }

  /** Three steps of a second, each with a call to another host, whose clock is 3 s ahead. */
  private static void plantClocks(Path folder) throws Exception {
    long ms = 1_000_000;
    for (int step = 0; step < 3; step++) {
      long at = START + 1_000 * ms * step;
      int id = 10 * step;
      Span call =
          Requests.span(step + 1, id + 4, id + 2, "generate", at + 3_105 * ms, 790 * ms).toBuilder()
              .addAttributes(
                  attribute("roll.queue_ns", AnyValue.newBuilder().setIntValue(3_005 * ms)))
              .build();
      PlantedFile.write(
          folder.resolve("traces.jsonl"),
          Requests.of(
              List.of(
                  Requests.span(step + 1, id + 1, 0, "pipeline_step", at, 1_000 * ms),
                  Requests.span(step + 1, id + 2, id + 1, "rollout", at + 100 * ms, 800 * ms),
                  Requests.span(step + 1, id + 3, id + 2, "generate", at + 105 * ms, 395 * ms)),
              process("driver", "head", "d:1")),
          Requests.of(List.of(call), process("actor", "gpu", "w:1")));
    }
  }

  private static Export read(Path folder, Export.Format format, @Nullable String query)
      throws Exception {
    ReportOptions options =
        ReportOptions.latestRun().withWhere(query == null ? null : Query.parse(query));
    return Export.read(List.of(folder), options, format);
  }

  private static String written(Export export) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    export.write(out);
    return out.toString(UTF_8);
  }

  @Test
  void csvOfHostsWithOtherClocks_hasRecordedTimesAndTheReportsSums() throws Exception {
    Path clocks = Files.createDirectory(dir.resolve("clocks"));
    plantClocks(clocks);
    Export export = read(clocks, Export.Format.CSV, "path:yes name:generate");
    String start = Long.toString(START + 3_105_000_000L);
    String end = Long.toString(START + 3_895_000_000L);
    assertThat(written(export).lines().skip(1))
        .hasSize(3)
        .element(0)
        .asString()
        .contains(",gpu,," + start + "," + end + ",790000000,790000000,790000000,5000000,0,");
    assertThat(export.clocksText()).contains("as recorded", "those of the report");
    assertThat(written(read(clocks, Export.Format.JAEGER, null)))
        .contains("\"startTime\":" + START / 1000, "\"startTime\":" + (START / 1000 + 3_105_000));
  }

  @Test
  void perfettoOfHostsWithOtherClocks_isOnOneClock() throws Exception {
    Path clocks = Files.createDirectory(dir.resolve("clocks"));
    plantClocks(clocks);
    Map<String, Object> trace =
        map(Json.parse(written(read(clocks, Export.Format.PERFETTO, null))));
    assertThat(map(trace.get("otherData"))).containsEntry("subtracted_ns gpu", "3000000000");
    List<Map<String, Object>> events =
        ((List<?>) trace.get("traceEvents")).stream().map(ExportTest::map).toList();
    assertThat(events)
        .filteredOn(event -> event.get("ph").equals("f"))
        .extracting(event -> event.get("ts").toString())
        .containsExactly("105000.000", "1105000.000", "2105000.000");
    assertThat(events)
        .filteredOn(event -> event.get("ph").equals("s"))
        .extracting(event -> event.get("ts").toString())
        .containsExactly("100000.000", "1100000.000", "2100000.000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no end               | 5 | 0   | 1 | 5,,,,,,
          end before its start | 5 | 4   | 1 | 5,,,,,,
          no start             | 0 | 9   | 1 | ,,,,,,
          kind of the future   | 5 | 9   | 99 | 5,9,4,4,4,,
          """)
  void timesThatWereNotRecorded_areEmptyCells(
      String name, long start, long end, int kind, String cells) throws Exception {
    Path odd = Files.createDirectory(dir.resolve("odd"));
    Span span =
        Requests.span(1, 1, 0, name, start, 0).toBuilder()
            .setEndTimeUnixNano(end)
            .setKindValue(kind)
            .build();
    Span other = Requests.span(2, 2, 0, "work", 5, 3);
    PlantedFile.write(odd.resolve("traces.jsonl"), Requests.of(List.of(span, other)));
    assertThat(written(read(odd, Export.Format.CSV, null)))
        .contains(name + "," + (kind == 99 ? 0 : kind) + ",,,,,," + cells);
    for (Export.Format format : List.of(Export.Format.JAEGER, Export.Format.PERFETTO)) {
      Export export = read(odd, format, null);
      assertThat(written(export).contains(name)).isEqualTo(start > 0);
      assertThat(export.undated()).isEqualTo(start > 0 ? 0 : 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"ot=th:8, 2", "ot=th:c, 4", "ot=th:4, 1.3333333333333333", "'', 1"})
  void spanOfASampledTrace_saysHowManyItStandsFor(String state, String count) throws Exception {
    Path sampled = Files.createDirectory(dir.resolve("sampled"));
    Span bare = Requests.span(1, 1, 0, "bare", 5, 9).toBuilder().setTraceState(state).build();
    Span rich =
        bare.toBuilder()
            .setSpanId(ByteString.copyFrom(new byte[] {0, 0, 0, 0, 0, 0, 0, 2}))
            .addAttributes(attribute("k", AnyValue.newBuilder().setStringValue("v")))
            .build();
    PlantedFile.write(sampled.resolve("traces.jsonl"), Requests.of(List.of(bare, rich)));
    assertThat(written(read(sampled, Export.Format.CSV, null)).lines())
        .hasSize(3)
        .allMatch(row -> row.endsWith(",adjusted_count") || row.endsWith("," + count));
    int spans = count.equals("1") ? 0 : 2;
    String jaeger = written(read(sampled, Export.Format.JAEGER, null));
    String tag = "{\"key\":\"adjusted_count\",\"type\":\"float64\",\"value\":" + count + "}";
    assertThat(map(Json.parse(jaeger))).isNotEmpty();
    assertThat(jaeger.split(Pattern.quote(tag), -1)).hasSize(spans + 1);
    String perfetto = written(read(sampled, Export.Format.PERFETTO, null));
    assertThat(map(Json.parse(perfetto))).isNotEmpty();
    assertThat(perfetto.split("\"adjusted_count\":" + count, -1)).hasSize(spans + 1);
  }

  @ParameterizedTest
  @EnumSource(Export.Format.class)
  void joinedCall_hasTheTraceOfItsSender(Export.Format format) throws Exception {
    Path calls = Files.createDirectory(dir.resolve("calls"));
    List<Span> ends = new ArrayList<>();
    for (int end = 0; end < 2; end++) {
      ends.add(
          Requests.span(0xa + end, 1 + end, 0, "call", START + end, 9).toBuilder()
              .setKindValue(4 + end)
              .addAttributes(
                  attribute("roll.join", AnyValue.newBuilder().setStringValue("ray.task_id")))
              .addAttributes(attribute("ray.task_id", AnyValue.newBuilder().setStringValue("task")))
              .build());
    }
    PlantedFile.write(calls.resolve("traces.jsonl"), Requests.of(ends));
    String written = written(read(calls, format, null));
    assertThat(written).doesNotContain("0".repeat(31) + "b");
    String parent = "0".repeat(15) + "1";
    assertThat(written)
        .containsAnyOf(
            "0".repeat(31) + "a,0000000000000002," + parent + ",call",
            "\"spanID\":\"" + parent + "\"}],",
            "\"span_id\":\"0000000000000002\",\"parent_span_id\":\"" + parent + "\"");
  }

  @Test
  void attributesNamedLikeOurs_areNoSecondKeyInPerfetto() throws Exception {
    Path odd = Files.createDirectory(dir.resolve("odd"));
    Span.Builder span = Requests.failed(Requests.span(1, 2, 3, "work", 5, 9)).toBuilder();
    List<String> keys =
        List.of("trace_id", "span_id", "parent_span_id", "error", "attribute.error", "k");
    for (String key : keys) {
      span.addAttributes(attribute(key, AnyValue.newBuilder().setStringValue("of " + key)));
    }
    PlantedFile.write(odd.resolve("traces.jsonl"), Requests.of(List.of(span.build())));
    String written = written(read(odd, Export.Format.PERFETTO, null));
    for (String key : keys) {
      assertThat(written.split("\"" + key + "\":", -1)).as(key).hasSize(2);
    }
    Map<String, Object> slice =
        ((List<?>) map(Json.parse(written)).get("traceEvents"))
            .stream()
                .map(ExportTest::map)
                .filter(event -> event.get("ph").equals("X"))
                .findFirst()
                .orElseThrow();
    assertThat(map(slice.get("args")))
        .containsEntry("span_id", "0000000000000002")
        .containsEntry("parent_span_id", "0000000000000003")
        .containsEntry("attribute.span_id", "of span_id")
        .containsEntry("attribute.error", "of attribute.error")
        .containsEntry("attribute.attribute.error", "of error")
        .containsEntry("k", "of k");
  }

  @Test
  void agentRunThatNobodyEnded_hasItsRecordedEnd() throws Exception {
    Path runs = Files.createDirectory(dir.resolve("runs"));
    Span.Builder run = Requests.span(1, 1, 0, "rlm.run", START, 900_000).toBuilder();
    run.addAttributes(attribute("rlm.run_id", AnyValue.newBuilder().setStringValue("run-1")));
    PlantedFile.write(
        runs.resolve("traces.jsonl"),
        Requests.of(
            List.of(run.build(), Requests.span(1, 2, 1, "rlm.step", START + 1_000, 4_000)),
            process("agent", "node1", "a:1")));
    String end = Long.toString(START + 900_000);
    assertThat(written(read(runs, Export.Format.CSV, null)))
        .contains("," + START + "," + end + ",900000,1000,");
    assertThat(written(read(runs, Export.Format.JAEGER, null))).contains("\"duration\":900,");
    assertThat(written(read(runs, Export.Format.PERFETTO, null))).contains("\"dur\":5.000,");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      textBlock =
          """
          =1+1            | '=1+1            | =1+1
          +1              | '+1              | +1
          @SUM(A1)        | '@SUM(A1)        | @SUM(A1)
          -cmd            | '-cmd            | -cmd
          -1+1            | '-1+1            | -1+1
          -1              | -1               | -1
          -1.5            | -1.5             | -1.5
          TAB=1           | 'TAB=1           | TAB=1
          RET=1           | "'RET=1"         | "RET=1"
          =A1,B1          | "'=A1,B1"        | "=A1,B1"
          a=1             | a=1              | a=1
          CSI31mred       | \\u009b31mred    | CSI31mred
          RLOgpj.exe      | \\u202egpj.exe   | RLOgpj.exe
          """)
  void cellOfCsv_isNoFormulaAndSteersNothing(String name, String cell, String raw)
      throws Exception {
    Path odd = Files.createDirectory(dir.resolve("odd"));
    PlantedFile.write(
        odd.resolve("traces.jsonl"),
        Requests.of(List.of(Requests.span(1, 1, 0, odd(name), START, 1))));
    String before = "0000000000000001,,";
    assertThat(csvOf(odd, Export.Format.CSV)).contains(before + odd(cell) + ",");
    assertThat(csvOf(odd, Export.Format.RAW_CSV)).contains(before + odd(raw) + ",");
  }

  private static String odd(String text) {
    return text.replace("TAB", "\t")
        .replace("RET", "\r")
        .replace("CSI", "\u009b")
        .replace("RLO", "\u202e");
  }

  private static String csvOf(Path where, Export.Format format) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Export.read(List.of(where), ReportOptions.latestRun(), format).write(out);
    return out.toString(UTF_8);
  }

  /** JSON may have such a text, as an escape; UTF-8 cannot. */
  @ParameterizedTest
  @EnumSource(Export.Format.class)
  void callOnRay_keepsTheNamesThatWereRecorded(Export.Format format) throws Exception {
    Path calls = Files.createDirectory(dir.resolve("calls"));
    PlantedFile.write(
        calls.resolve("traces.jsonl"),
        Requests.of(
            List.of(
                Requests.span(2, 1, 0, "Counter.add ray.remote", START, 100),
                Requests.span(2, 2, 1, "Counter.add ray.remote_worker", START + 200, 100)),
            process("actor", "node2", "w:1")));
    assertThat(csvOf(calls, format))
        .contains("Counter.add ray.remote", "Counter.add ray.remote_worker");
  }

  @ParameterizedTest
  @EnumSource(Export.Format.class)
  void halfASurrogatePair_becomesAQuestionMark(Export.Format format) throws Exception {
    Path half = Files.createDirectory(dir.resolve("half"));
    Files.writeString(
        half.resolve("traces.jsonl"),
        """
        {"resourceSpans":[{"resource":{"attributes":[\
        {"key":"service.name","value":{"stringValue":"s\\udc00"}}]},"scopeSpans":[{"spans":[\
        {"traceId":"00000000000000000000000000000001","spanId":"0000000000000001",\
        "name":"n\\ud83d","kind":1,"startTimeUnixNano":"5","endTimeUnixNano":"9",\
        "status":{"code":2,"message":"m\\ud83d"},"attributes":[\
        {"key":"k\\ud83d","value":{"stringValue":"v\\ud83d"}},\
        {"key":"list","value":{"arrayValue":{"values":[{"stringValue":"e\\ud83dnd"}]}}}]}]}]}]}
        """);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Export export = Export.read(List.of(half), ReportOptions.latestRun(), format);
    assertThat(export.report().contents().files().unreadableLines()).isZero();
    assertThat(export.write(out)).isOne();
    String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(out.toByteArray())).toString();
    assertThat(text).contains("n?", "s?").doesNotContain("\ufffd");
    if (format != Export.Format.CSV && format != Export.Format.RAW_CSV) {
      Json.parse(text);
      assertThat(text).contains("k?", "v?", "m?", "e?nd");
    }
  }

  private String export(Export.Format format) throws Exception {
    return export(format, 6);
  }

  private String export(Export.Format format, int spans) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Export export = Export.read(List.of(dir), ReportOptions.latestRun(), format);
    assertThat(export.write(out) + export.undated()).isEqualTo(spans);
    return out.toString(UTF_8);
  }

  private static KeyValue attribute(String key, AnyValue.Builder value) {
    return KeyValue.newBuilder().setKey(key).setValue(value).build();
  }

  private static String[] process(String service, String host, String instance) {
    return new String[] {
      "service.name",
      service,
      "host.name",
      host,
      "service.instance.id",
      instance,
      "roll.run_id",
      "r1"
    };
  }
}
