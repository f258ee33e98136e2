package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.report.ReportOptions;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What all formats have in common, and traces for Jaeger. */
class ExportTest extends ExportFixture {

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
            .map(ExportFixture::map)
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
}
