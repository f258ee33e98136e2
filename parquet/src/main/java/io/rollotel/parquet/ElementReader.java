package io.rollotel.parquet;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Reads a list of a span, its events or its links, and writes it as OTLP/JSON. */
final class ElementReader {

  /** How a column becomes a property. */
  enum Form {
    TEXT,
    UNSIGNED,
    COUNT
  }

  /** A column of the list's elements, and the property that it becomes. */
  record Part(String column, String property, Form form) {}

  static final List<Part> EVENT =
      List.of(
          new Part("time_unix_nano", "timeUnixNano", Form.UNSIGNED),
          new Part("name", "name", Form.TEXT),
          new Part("dropped_attributes_count", "droppedAttributesCount", Form.COUNT));

  static final List<Part> LINK =
      List.of(
          new Part("trace_id", "traceId", Form.TEXT),
          new Part("span_id", "spanId", Form.TEXT),
          new Part("trace_state", "traceState", Form.TEXT),
          new Part("flags", "flags", Form.COUNT),
          new Part("dropped_attributes_count", "droppedAttributesCount", Form.COUNT));

  private final String property;
  private final List<Part> parts = new ArrayList<>();
  private final List<Leaf> leaves = new ArrayList<>();
  private final @Nullable AttributeReader attributes;

  /** The definition level of an element. */
  private final int there;

  private ElementReader(RowColumns columns, String list, List<Part> all) {
    this.property = list;
    String[] repeated = {list, columns.group(list).getFieldName(0)};
    String[] element = NestedColumns.below(repeated, columns.group(repeated).getFieldName(0));
    this.there = columns.schema().getMaxDefinitionLevel(repeated);
    for (Part part : all) {
      Leaf leaf = columns.leaf(NestedColumns.below(element, part.column));
      if (leaf != null) {
        parts.add(part);
        leaves.add(leaf);
      }
    }
    this.attributes = AttributeReader.of(columns, NestedColumns.below(element, "attributes"));
  }

  /** Null if the file has no such list. */
  static @Nullable ElementReader of(RowColumns columns, String list, List<Part> parts) {
    ElementReader reader = columns.has(list) ? new ElementReader(columns, list, parts) : null;
    return reader == null || reader.leaves.isEmpty() ? null : reader;
  }

  /** Writes the elements of the row; moves after them. */
  void write(JsonGenerator out) {
    Leaf first = leaves.get(0);
    if (!first.isWithin(there)) {
      leaves.forEach(Leaf::skip);
      if (attributes != null) {
        attributes.write(out); // none, since they are of no element
      }
      return;
    }
    out.writeName(property);
    out.writeStartArray();
    do {
      out.writeStartObject();
      for (int i = 0; i < parts.size(); i++) {
        write(out, parts.get(i), leaves.get(i));
      }
      if (attributes != null) {
        attributes.write(out);
      }
      out.writeEndObject();
    } while (first.isFurther(1));
    out.writeEndArray();
  }

  static void write(JsonGenerator out, Part part, Leaf leaf) {
    switch (part.form) {
      case TEXT -> RowLines.text(out, part.property, leaf.binary());
      case UNSIGNED -> {
        Long number = leaf.number();
        if (number != null && number != 0) {
          out.writeStringProperty(part.property, Long.toUnsignedString(number));
        }
      }
      case COUNT -> {
        Long number = leaf.number();
        if (number != null && number != 0) {
          out.writeNumberProperty(part.property, number);
        }
      }
    }
  }
}
