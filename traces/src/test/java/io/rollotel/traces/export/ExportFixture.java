package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.report.ReportOptions;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A run with every kind of span, and its exports. */
abstract class ExportFixture {

  static final long START = Planted.START;
  static final String HOSTILE = "</script>,\"\u2028\n=1+1";

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

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(@Nullable Object json) {
    return (Map<String, Object>) Objects.requireNonNull(json);
  }

  static BigDecimal start(Map<String, Object> event) {
    return (BigDecimal) event.get("ts");
  }

  static BigDecimal end(Map<String, Object> slice) {
    return start(slice).add((BigDecimal) slice.get("dur"));
  }

  /** Three steps of a second, each with a call to another host, whose clock is 3 s ahead. */
  static void plantClocks(Path folder) throws Exception {
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

  static Export read(Path folder, Export.Format format, @Nullable String query) throws Exception {
    ReportOptions options =
        ReportOptions.latestRun().withWhere(query == null ? null : Query.parse(query));
    return Export.read(List.of(folder), options, format);
  }

  static String written(Export export) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    export.write(out);
    return out.toString(UTF_8);
  }

  static String odd(String text) {
    return text.replace("TAB", "\t")
        .replace("RET", "\r")
        .replace("CSI", "\u009b")
        .replace("RLO", "\u202e");
  }

  String export(Export.Format format) throws Exception {
    return export(format, 6);
  }

  String export(Export.Format format, int spans) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Export export = Export.read(List.of(dir), ReportOptions.latestRun(), format);
    assertThat(export.write(out) + export.undated()).isEqualTo(spans);
    return out.toString(UTF_8);
  }

  static KeyValue attribute(String key, AnyValue.Builder value) {
    return KeyValue.newBuilder().setKey(key).setValue(value).build();
  }

  static String[] process(String service, String host, String instance) {
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

  static String csvOf(Path where, Export.Format format) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Export.read(List.of(where), ReportOptions.latestRun(), format).write(out);
    return out.toString(UTF_8);
  }
}
