package io.rollotel.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that pandas, polars and others write, from our files or on their own. */
class ForeignFileTest {

  private static final String IDS =
      """
      optional binary trace_id (STRING);
      optional binary span_id (STRING);
      """;

  private static final String TRACE_ID = "0f".repeat(16);
  private static final long START = 1_795_269_422_123_456_789L;

  @TempDir Path dir;

  private List<Span> read(String columns, Map<String, Object> row) throws Exception {
    Map<String, Object> all = new HashMap<>(row);
    all.putIfAbsent("trace_id", TRACE_ID);
    all.putIfAbsent("span_id", "00000000000000aa");
    Path file = dir.resolve("other.parquet");
    ForeignFile.write(file, IDS + columns, List.of(all, all));
    List<Span> spans = new ArrayList<>();
    ReadSummary summary = new TracesReader().read(file, spans::add);
    if (summary.unreadableLines() != 0) {
      throw new IllegalArgumentException(summary.firstUnreadable().get(0).reason());
    }
    assertThat(summary.duplicates()).isEqualTo(1);
    return spans;
  }

  /** Columns of nothing but null have no type, or a list of what has none. */
  @Test
  void columnsWithoutAType_haveNoValues() throws Exception {
    List<Span> spans =
        read(
            """
            optional int32 parent_span_id (UNKNOWN);
            optional int32 trace_state (UNKNOWN);
            optional int32 process_pid (UNKNOWN);
            optional int32 resource_attributes (UNKNOWN);
            optional int32 start_time_unix_nano (UNKNOWN);
            optional int32 attributes (UNKNOWN);
            optional group events (LIST) { repeated group list { optional int32 element (UNKNOWN); } }
            optional group links (LIST) { repeated group list { optional int32 element (UNKNOWN); } }
            optional binary service_name (STRING);
            optional int64 start_time (TIMESTAMP(NANOS,true));
            """,
            Map.of("service_name", "actor", "start_time", START));
    assertThat(spans)
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.parentSpanId()).isEmpty();
              assertThat(span.startEpochNanos()).isEqualTo(START);
              assertThat(span.resource().attributes()).isEqualTo(Map.of("service.name", "actor"));
            });
  }

  @ParameterizedTest
  @CsvSource({"double", "float", "int32", "int64"})
  void numbersOfAnotherType_areThoseThatWereMeant(String type) throws Exception {
    Object value =
        switch (type) {
          case "double" -> 17.0;
          case "float" -> 17.0f;
          case "int32" -> 17;
          default -> 17L;
        };
    assertThat(
            read(
                "optional %s process_pid; optional %s duration_nano; optional int64 start_time_unix_nano;"
                    .formatted(type, type),
                Map.of(
                    "process_pid", value, "duration_nano", value, "start_time_unix_nano", START)))
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.resource().attributes()).isEqualTo(Map.of("process.pid", 17L));
              assertThat(span.endEpochNanos()).isEqualTo(START + 17);
            });
  }

  @Test
  void unsignedAndMissingNumbers_areWhatTheyAre() throws Exception {
    assertThat(
            read(
                "optional int32 process_pid (INTEGER(32,false)); optional double flags;",
                Map.of("process_pid", -1, "flags", Double.NaN)))
        .singleElement()
        .satisfies(
            span ->
                assertThat(span.resource().attributes())
                    .isEqualTo(Map.of("process.pid", 0xffff_ffffL)));
  }

  /** A double of nanoseconds since 1970 is 256 of them off. */
  @ParameterizedTest
  @ValueSource(doubles = {1.795269422123456789e18, 1.5, Double.POSITIVE_INFINITY})
  void numberThatIsNotExact_isRefusedByName(double value) {
    assertThatReadFails(
            "optional double start_time_unix_nano;", Map.of("start_time_unix_nano", value))
        .contains("column start_time_unix_nano has ")
        .contains("where a whole number belongs");
  }

  @Test
  void textWhereANumberBelongs_isRefusedByName() {
    assertThatReadFails(
            "optional binary start_time_unix_nano (STRING);", Map.of("start_time_unix_nano", "5"))
        .contains("column start_time_unix_nano is of another type");
  }

  private org.assertj.core.api.AbstractStringAssert<?> assertThatReadFails(
      String columns, Map<String, Object> row) {
    String said = "";
    try {
      read(columns, row);
    } catch (Exception e) {
      said = String.valueOf(e.getMessage());
    }
    return assertThat(said);
  }

  /** From a query that also selected the columns made for queries. */
  @ParameterizedTest
  @CsvSource({"MILLIS, 1000000", "MICROS, 1000", "NANOS, 1"})
  void derivedColumns_standForThoseThatAreMissing(String unit, long nanos) throws Exception {
    List<Span> spans =
        read(
            """
            optional int64 start_time (TIMESTAMP(%s,true));
            optional int64 duration_nano;
            optional double adjusted_count;
            optional int64 global_step;
            optional int64 roll_queue_ns;
            optional binary roll_rank (STRING);
            """
                .formatted(unit),
            Map.of(
                "start_time",
                START / nanos,
                "duration_nano",
                5L,
                "adjusted_count",
                10.0,
                "global_step",
                3L,
                "roll_queue_ns",
                4L,
                "roll_rank",
                "7"));
    assertThat(spans)
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.startEpochNanos()).isEqualTo(START / nanos * nanos);
              assertThat(span.endEpochNanos()).isEqualTo(span.startEpochNanos() + 5);
              assertThat(span.weight()).isCloseTo(10, org.assertj.core.api.Assertions.within(1e-9));
              assertThat(span.attributes())
                  .isEqualTo(Map.of("global_step", 3L, "roll.queue_ns", 4L));
              assertThat(span.resource().attributes()).isEqualTo(Map.of("roll.rank", "7"));
            });
  }

  /** As Spark wrote times by default up to 4, and Hive still does. */
  @Test
  void timeByJulianDay_isThatTime() throws Exception {
    long ofDay = START % 86_400_000_000_000L;
    int day = (int) (START / 86_400_000_000_000L) + 2_440_588;
    byte[] time =
        ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(ofDay).putInt(day).array();
    assertThat(
            read(
                "optional int96 start_time; optional int64 duration_nano;",
                Map.of("start_time", time, "duration_nano", 5L)))
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.startEpochNanos()).isEqualTo(START);
              assertThat(span.endEpochNanos()).isEqualTo(START + 5);
            });
    assertThatReadFails("optional int96 duration_nano;", Map.of("duration_nano", time))
        .contains("column duration_nano is of another type");
  }

  @Test
  void derivedColumnsBesideTheRecordedOnes_areNotLookedAt() throws Exception {
    List<Span> spans =
        read(
            """
            optional int64 start_time_unix_nano;
            optional binary start_time (STRING);
            optional int64 end_time_unix_nano;
            optional int64 duration_nano;
            optional binary trace_state (STRING);
            optional double adjusted_count;
            """,
            Map.of(
                "start_time_unix_nano",
                START,
                "start_time",
                "yesterday",
                "end_time_unix_nano",
                START + 1,
                "duration_nano",
                1000L,
                "adjusted_count",
                10.0));
    assertThat(spans)
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.endEpochNanos()).isEqualTo(START + 1);
              assertThat(span.weight()).isEqualTo(1);
            });
  }

  @Test
  void rowWithoutResourceAttributes_hasTheColumnsOfItsResource() throws Exception {
    Path file = dir.resolve("other.parquet");
    ForeignFile.write(
        file,
        IDS
            + "optional binary resource_attributes (STRING); optional binary service_name (STRING);",
        List.of(
            Map.of(
                "trace_id", TRACE_ID, "span_id", "00000000000000aa", "service_name", "by column"),
            Map.of(
                "trace_id",
                TRACE_ID,
                "span_id",
                "00000000000000ab",
                "service_name",
                "not this",
                "resource_attributes",
                "{\"service.name\":\"by attributes\"}"),
            Map.of("trace_id", TRACE_ID, "span_id", "00000000000000ac")));
    List<Object> services = new ArrayList<>();
    assertThat(
            new TracesReader()
                .read(
                    file,
                    span ->
                        services.add(
                            span.resource().attributes().getOrDefault("service.name", "none")))
                .unreadableLines())
        .isZero();
    assertThat(services).containsExactly("by column", "by attributes", "none");
  }
}
