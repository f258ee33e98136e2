package io.rollotel.parquet;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * The rows of a row group as lines: neighbouring rows of one resource and scope share a line. A row
 * with an id of an unusual length has a line of its own, so that its rejection affects no other
 * row.
 */
final class RowLines {

  private static final int MOST_ROWS_OF_A_LINE = 512;
  private static final int MOST_BYTES_OF_A_LINE = 1 << 20;

  private static final List<ElementReader.Part> SPAN =
      List.of(
          new ElementReader.Part("trace_state", "traceState", ElementReader.Form.TEXT),
          new ElementReader.Part("flags", "flags", ElementReader.Form.COUNT),
          new ElementReader.Part("name", "name", ElementReader.Form.TEXT),
          new ElementReader.Part(
              "dropped_attributes_count", "droppedAttributesCount", ElementReader.Form.COUNT),
          new ElementReader.Part(
              "dropped_events_count", "droppedEventsCount", ElementReader.Form.COUNT),
          new ElementReader.Part(
              "dropped_links_count", "droppedLinksCount", ElementReader.Form.COUNT));

  /** The values that are compared with the previous row: in most rows, all are the same. */
  private static final List<String> ORIGIN_TEXTS =
      List.of(
          "resource_attributes",
          "resource_entity_refs",
          "resource_schema_url",
          "scope_name",
          "scope_version",
          "scope_attributes",
          "scope_schema_url");

  private static final List<String> ORIGIN_NUMBERS =
      List.of(
          SpanSchema.PROCESS_PID,
          "resource_dropped_attributes_count",
          "scope_dropped_attributes_count");

  private final long rows;
  private long read;

  private final DerivedColumns derived;
  private final @Nullable Leaf traceId;
  private final @Nullable Leaf spanId;
  private final @Nullable Leaf parentId;
  private final @Nullable Leaf kind;
  private final @Nullable Leaf statusCode;
  private final @Nullable Leaf statusMessage;
  private final List<ElementReader.Part> parts = new ArrayList<>();
  private final List<Leaf> leaves = new ArrayList<>();
  private final @Nullable AttributeReader attributes;
  private final @Nullable ElementReader events;
  private final @Nullable ElementReader links;

  private final Map<String, Leaf> originTexts = new TreeMap<>();
  private final Map<String, Leaf> originNumbers = new TreeMap<>();

  // The row at which the last line has ended, since it belongs to the next one.
  private @Nullable Binary nextTraceId;
  private @Nullable Binary nextSpanId;
  private Map<String, Object> nextOrigin = Map.of();
  private boolean hasNextRow;

  RowLines(PageReadStore pages, MessageType schema, String createdBy) {
    this.rows = pages.getRowCount();
    RowColumns columns = new RowColumns(pages, schema, createdBy);
    this.derived = new DerivedColumns(columns);
    this.traceId = columns.leaf("trace_id");
    this.spanId = columns.leaf("span_id");
    this.parentId = columns.leaf("parent_span_id");
    this.kind = columns.leaf("kind");
    this.statusCode = columns.leaf("status_code");
    this.statusMessage = columns.leaf("status_message");
    for (ElementReader.Part part : SPAN) {
      Leaf leaf = columns.leaf(part.column());
      if (leaf != null) {
        parts.add(part);
        leaves.add(leaf);
      }
    }
    this.attributes = AttributeReader.of(columns, "attributes");
    this.events = ElementReader.of(columns, "events", ElementReader.EVENT);
    this.links = ElementReader.of(columns, "links", ElementReader.LINK);
    List<String> texts = new ArrayList<>(ORIGIN_TEXTS);
    texts.addAll(SpanSchema.OF_RESOURCE.keySet());
    put(columns, texts, originTexts);
    put(columns, ORIGIN_NUMBERS, originNumbers);
  }

  private static void put(RowColumns columns, List<String> names, Map<String, Leaf> leaves) {
    for (String name : names) {
      Leaf leaf = columns.leaf(name);
      if (leaf != null) {
        leaves.put(name, leaf);
      }
    }
  }

  boolean hasNext() {
    return hasNextRow || read < rows;
  }

  /** The next line, with its newline. */
  byte[] next() {
    beginRow();
    Map<String, Object> origin = nextOrigin;
    ByteArrayOutputStream line = new ByteArrayOutputStream(64 << 10);
    try (JsonGenerator out = PlainJson.JSON.createGenerator(ObjectWriteContext.empty(), line)) {
      out.writeStartObject();
      startArray(out, "resourceSpans");
      out.writeStartObject();
      resource(out, origin);
      startArray(out, "scopeSpans");
      out.writeStartObject();
      scope(out, origin);
      startArray(out, "spans");
      boolean isAlone = !hasIds();
      int count = 0;
      do {
        span(out);
        count++;
        if (isAlone
            || count == MOST_ROWS_OF_A_LINE
            || line.size() > MOST_BYTES_OF_A_LINE
            || read == rows) {
          break;
        }
        beginRow();
      } while (nextOrigin.equals(origin) && hasIds());
    } // which ends open elements
    line.write('\n');
    return line.toByteArray();
  }

  private static void startArray(JsonGenerator out, String name) {
    out.writeName(name);
    out.writeStartArray();
  }

  /** Reads the values of the next row that decide on its line. */
  private void beginRow() {
    if (hasNextRow) {
      return;
    }
    hasNextRow = true;
    read++;
    nextTraceId = traceId == null ? null : traceId.binary();
    nextSpanId = spanId == null ? null : spanId.binary();
    Map<String, Object> origin = new LinkedHashMap<>();
    for (Map.Entry<String, Leaf> text : originTexts.entrySet()) {
      Binary value = text.getValue().binary();
      if (value != null) {
        origin.put(text.getKey(), value);
      }
    }
    for (Map.Entry<String, Leaf> number : originNumbers.entrySet()) {
      Long value = number.getValue().number();
      if (value != null) {
        origin.put(number.getKey(), value);
      }
    }
    if (!origin.equals(nextOrigin)) {
      nextOrigin = origin;
    }
  }

  private boolean hasIds() {
    return isHex(nextTraceId, 32) && isHex(nextSpanId, 16);
  }

  private static boolean isHex(@Nullable Binary id, int digits) {
    if (id == null || id.length() != digits) {
      return false;
    }
    for (byte digit : id.getBytesUnsafe()) {
      if (Character.digit(digit, 16) < 0) {
        return false;
      }
    }
    return true;
  }

  private void resource(JsonGenerator out, Map<String, Object> origin) {
    out.writeName("resource");
    out.writeStartObject();
    Object all = origin.get("resource_attributes");
    if (all instanceof Binary plain) {
      out.writeName("attributes");
      PlainJsonReader.attributes(plain.getBytes(), out);
    } else {
      startArray(out, "attributes");
      SpanSchema.OF_RESOURCE.forEach(
          (column, key) -> {
            if (origin.get(column) instanceof Binary text) {
              attribute(out, key, "stringValue", text.toStringUsingUTF8());
            }
          });
      if (origin.get(SpanSchema.PROCESS_PID) instanceof Long pid) {
        attribute(out, SpanSchema.PROCESS_PID_KEY, "intValue", pid.toString());
      }
      out.writeEndArray();
    }
    dropped(out, origin.get("resource_dropped_attributes_count"));
    if (origin.get("resource_entity_refs") instanceof Binary entities) {
      out.writeName("entityRefs");
      out.writeRawValue(entities.toStringUsingUTF8());
    }
    out.writeEndObject();
    text(out, "schemaUrl", origin.get("resource_schema_url"));
  }

  static void attribute(JsonGenerator out, String key, String type, String value) {
    out.writeStartObject();
    out.writeStringProperty("key", key);
    out.writeName("value");
    out.writeStartObject();
    out.writeStringProperty(type, value);
    out.writeEndObject();
    out.writeEndObject();
  }

  private static void scope(JsonGenerator out, Map<String, Object> origin) {
    out.writeName("scope");
    out.writeStartObject();
    text(out, "name", origin.get("scope_name"));
    text(out, "version", origin.get("scope_version"));
    if (origin.get("scope_attributes") instanceof Binary plain) {
      out.writeName("attributes");
      PlainJsonReader.attributes(plain.getBytes(), out);
    }
    dropped(out, origin.get("scope_dropped_attributes_count"));
    out.writeEndObject();
    text(out, "schemaUrl", origin.get("scope_schema_url"));
  }

  private static void dropped(JsonGenerator out, @Nullable Object count) {
    if (count instanceof Long dropped && dropped != 0) {
      out.writeNumberProperty("droppedAttributesCount", dropped);
    }
  }

  private static void text(JsonGenerator out, String name, @Nullable Object value) {
    if (value instanceof Binary text) {
      text(out, name, text);
    }
  }

  private void span(JsonGenerator out) {
    hasNextRow = false;
    out.writeStartObject();
    text(out, "traceId", nextTraceId);
    text(out, "spanId", nextSpanId);
    text(out, "parentSpanId", parentId == null ? null : parentId.binary());
    for (int i = 0; i < parts.size(); i++) {
      ElementReader.write(out, parts.get(i), leaves.get(i));
    }
    derived.write(out);
    int kindOf = number(SpanLines.KINDS, kind);
    if (kindOf != 0) {
      out.writeNumberProperty("kind", kindOf);
    }
    if (attributes != null) {
      attributes.write(out);
    }
    if (events != null) {
      events.write(out);
    }
    if (links != null) {
      links.write(out);
    }
    out.writeName("status");
    out.writeStartObject();
    text(out, "message", statusMessage == null ? null : statusMessage.binary());
    int code = number(SpanLines.STATUS_CODES, statusCode);
    if (code != 0) {
      out.writeNumberProperty("code", code);
    }
    out.writeEndObject();
    out.writeEndObject();
  }

  /** The number of a name, or of the digits of an unnamed value. */
  private static int number(List<String> names, @Nullable Leaf leaf) {
    Binary value = leaf == null ? null : leaf.binary();
    if (value == null) {
      return 0;
    }
    String text = value.toStringUsingUTF8();
    int known = names.indexOf(text);
    return known >= 0 || !text.matches("-?[0-9]{1,10}")
        ? Math.max(known, 0)
        : (int) Long.parseLong(text);
  }

  static void text(JsonGenerator out, String name, @Nullable Binary value) {
    if (value != null) {
      byte[] bytes = value.getBytesUnsafe();
      out.writeName(name);
      out.writeUTF8String(bytes, 0, bytes.length);
    }
  }

  static void floating(JsonGenerator out, double value) {
    if (Double.isFinite(value)) {
      out.writeNumber(value);
    } else {
      out.writeString(Double.toString(value));
    }
  }
}
