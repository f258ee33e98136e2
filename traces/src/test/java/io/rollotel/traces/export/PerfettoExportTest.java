package io.rollotel.traces.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Traces for Perfetto. */
class PerfettoExportTest extends ExportFixture {

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
        .extracting(ExportFixture::map)
        .filteredOn(event -> event.get("ph").equals("f"))
        .extracting(event -> event.get("ts").toString())
        .containsExactlyInAnyOrder("20.000", "30.000");
    assertThat(export(Export.Format.CSV, 4)).contains("0000000000000004,0000000000000001,");
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

  @Test
  void perfettoOfHostsWithOtherClocks_isOnOneClock() throws Exception {
    Path clocks = Files.createDirectory(dir.resolve("clocks"));
    plantClocks(clocks);
    Map<String, Object> trace =
        map(Json.parse(written(read(clocks, Export.Format.PERFETTO, null))));
    assertThat(map(trace.get("otherData"))).containsEntry("subtracted_ns gpu", "3000000000");
    List<Map<String, Object>> events =
        ((List<?>) trace.get("traceEvents")).stream().map(ExportFixture::map).toList();
    assertThat(events)
        .filteredOn(event -> event.get("ph").equals("f"))
        .extracting(event -> event.get("ts").toString())
        .containsExactly("105000.000", "1105000.000", "2105000.000");
    assertThat(events)
        .filteredOn(event -> event.get("ph").equals("s"))
        .extracting(event -> event.get("ts").toString())
        .containsExactly("100000.000", "1100000.000", "2100000.000");
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
                .map(ExportFixture::map)
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
}
