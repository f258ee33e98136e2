package io.rollotel.parquet;

import io.rollotel.traces.otlp.TraceWeight;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A span's times, and other facts that two columns have: from the recorded column, or, if a file
 * lacks it, from the column derived for queries.
 */
final class DerivedColumns {

  private final @Nullable Leaf start;
  private final @Nullable Leaf end;
  private final @Nullable Leaf duration;
  private final @Nullable Leaf adjustedCount;
  private final Map<String, Leaf> attributes = new LinkedHashMap<>();

  DerivedColumns(RowColumns columns) {
    Leaf recorded = columns.leaf("start_time_unix_nano");
    this.start = recorded == null ? columns.leaf("start_time") : recorded;
    this.end = columns.leaf("end_time_unix_nano");
    this.duration = end == null ? columns.leaf("duration_nano") : null;
    this.adjustedCount = columns.has("trace_state") ? null : columns.leaf("adjusted_count");
    if (!columns.has("attributes")) {
      put("roll.queue_ns", columns.leaf("roll_queue_ns"));
      put("global_step", columns.leaf("global_step"));
    }
  }

  private void put(String key, @Nullable Leaf leaf) {
    if (leaf != null) {
      attributes.put(key, leaf);
    }
  }

  /** Writes those of the row, as properties of the span; moves after them. */
  void write(JsonGenerator out) {
    Long from = number(start);
    Long to = number(end);
    Long lasted = number(duration);
    if (from != null && lasted != null) {
      to = from + lasted;
    }
    time(out, "startTimeUnixNano", from);
    time(out, "endTimeUnixNano", to);
    Double count = adjustedCount == null ? null : adjustedCount.floating();
    if (count != null && count > 1) {
      out.writeStringProperty("traceState", TraceWeight.state(count));
    }
    if (attributes.isEmpty()) {
      return;
    }
    out.writeName("attributes");
    out.writeStartArray();
    attributes.forEach(
        (key, leaf) -> {
          Long value = leaf.number();
          if (value != null) {
            RowLines.attribute(out, key, "intValue", value.toString());
          }
        });
    out.writeEndArray();
  }

  private static @Nullable Long number(@Nullable Leaf leaf) {
    return leaf == null ? null : leaf.number();
  }

  private static void time(JsonGenerator out, String property, @Nullable Long nanos) {
    if (nanos != null && nanos != 0) {
      out.writeStringProperty(property, Long.toUnsignedString(nanos));
    }
  }
}
