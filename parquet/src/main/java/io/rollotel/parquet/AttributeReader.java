package io.rollotel.parquet;

import java.util.Arrays;
import java.util.Base64;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.GroupType;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Reads a map of attributes, and writes it as OTLP/JSON. */
final class AttributeReader {

  private final @Nullable Leaf key;
  private final @Nullable Leaf text;
  private final @Nullable Leaf bool;
  private final @Nullable Leaf number;
  private final @Nullable Leaf floating;
  private final @Nullable Leaf bytes;
  private final @Nullable Leaf json;

  /** The definition level of an attribute. */
  private final int there;

  /** The repetition level of a further one. */
  private final int further;

  private AttributeReader(RowColumns columns, String[] map) {
    GroupType keyValue = columns.group(map).getType(0).asGroupType();
    String[] entry = NestedColumns.below(map, keyValue.getName());
    String[] keyPath = NestedColumns.below(entry, keyValue.getFieldName(0));
    String[] value = NestedColumns.below(entry, keyValue.getFieldName(1));
    ColumnDescriptor ofKey = columns.schema().getColumnDescription(keyPath);
    further = ofKey.getMaxRepetitionLevel();
    there = columns.schema().getMaxDefinitionLevel(entry);
    key = columns.leaf(keyPath);
    text = columns.leaf(NestedColumns.below(value, "string_value"));
    bool = columns.leaf(NestedColumns.below(value, "bool_value"));
    number = columns.leaf(NestedColumns.below(value, "int_value"));
    floating = columns.leaf(NestedColumns.below(value, "double_value"));
    bytes = columns.leaf(NestedColumns.below(value, "bytes_value"));
    json = columns.leaf(NestedColumns.below(value, "json_value"));
  }

  /** Null if the file has no such map. */
  static @Nullable AttributeReader of(RowColumns columns, String... map) {
    return columns.has(map) ? new AttributeReader(columns, map) : null;
  }

  /** Writes the attributes of the row, or of the element of a list; moves after them. */
  void write(JsonGenerator out) {
    Leaf keys = key;
    if (keys == null) {
      return;
    }
    if (!keys.isWithin(there)) {
      skip(keys);
      return;
    }
    out.writeName("attributes");
    out.writeStartArray();
    do {
      out.writeStartObject();
      RowLines.text(out, "key", keys.binary());
      out.writeName("value");
      out.writeStartObject();
      value(out);
      out.writeEndObject();
      out.writeEndObject();
    } while (keys.isFurther(further));
    out.writeEndArray();
  }

  private void skip(Leaf keys) {
    keys.skip();
    for (Leaf leaf : Arrays.asList(text, bool, number, floating, bytes, json)) {
      if (leaf != null) {
        leaf.skip();
      }
    }
  }

  /** All columns advance, and at most one of them has the value. */
  private void value(JsonGenerator out) {
    RowLines.text(out, "stringValue", text == null ? null : text.binary());
    Boolean flag = bool == null ? null : bool.bool();
    if (flag != null) {
      out.writeBooleanProperty("boolValue", flag);
    }
    Long integer = number == null ? null : number.number();
    if (integer != null) {
      out.writeStringProperty("intValue", Long.toString(integer));
    }
    Double real = floating == null ? null : floating.floating();
    if (real != null) {
      out.writeName("doubleValue");
      RowLines.floating(out, real);
    }
    Binary binary = bytes == null ? null : bytes.binary();
    if (binary != null) {
      out.writeStringProperty(
          "bytesValue", Base64.getEncoder().encodeToString(binary.getBytesUnsafe()));
    }
    Binary nested = json == null ? null : json.binary();
    if (nested != null) {
      PlainJsonReader.value(nested.getBytes(), out);
    }
  }
}
