package io.rollotel.parquet;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;

/**
 * The columns of a map of attributes: keys, and a column for each type of value. Each attribute
 * writes to all of them; all but one of the types get a null, which costs some nanoseconds.
 */
final class AttributeColumns {

  /** Sees attributes while they are written. */
  interface Observer {
    void see(byte[] request, AttributeMessage attribute);
  }

  private static final String[] TYPES = {
    "string_value", "bool_value", "int_value", "double_value", "bytes_value", "json_value"
  };

  private static final int JSON = 5;

  private final ColumnWriter keys;
  private final ColumnWriter[] values = new ColumnWriter[TYPES.length];

  /** The repetition level of a further attribute. */
  private final int further;

  /** The definition level of an attribute, and so of its key; a value has one more. */
  private final int there;

  private final AttributeMessage attribute = new AttributeMessage();
  private final SpanMessage.Places places = new SpanMessage.Places();

  /** Below a path, which ends with {@code attributes}. */
  AttributeColumns(ColumnWriteStore store, String... path) {
    ColumnDescriptor key = SpanSchema.SPAN.getColumnDescription(below(path, "key"));
    keys = store.getColumnWriter(key);
    further = key.getMaxRepetitionLevel();
    there = key.getMaxDefinitionLevel();
    for (int i = 0; i < values.length; i++) {
      values[i] =
          store.getColumnWriter(
              SpanSchema.SPAN.getColumnDescription(below(path, "value", TYPES[i])));
    }
  }

  private static String[] below(String[] path, String... names) {
    String[] all = new String[path.length + 1 + names.length];
    System.arraycopy(path, 0, all, 0, path.length);
    all[path.length] = "key_value";
    System.arraycopy(names, 0, all, path.length + 1, names.length);
    return all;
  }

  /**
   * Writes the attributes at some places.
   *
   * @param repetition the level of their owner
   */
  void write(WireCursor wire, SpanMessage.Places at, int repetition, Observer observer)
      throws MalformedRequestException {
    if (at.count() == 0) {
      none(repetition, there - 1);
      return;
    }
    int before = wire.position();
    byte[] request = wire.bytes();
    for (int i = 0; i < at.count(); i++) {
      wire.moveTo(at.get(i));
      attribute.read(wire);
      int level = i == 0 ? repetition : further;
      keys.write(
          Binary.fromReusedByteArray(request, attribute.keyStart(), attribute.keyLength()),
          level,
          there);
      value(wire, request, level);
      observer.see(request, attribute);
    }
    wire.moveTo(before);
  }

  /** Writes that there are none, since there is no owner. */
  void none(int repetition, int definition) {
    keys.writeNull(repetition, definition);
    for (ColumnWriter value : values) {
      value.writeNull(repetition, definition);
    }
  }

  /** Begins to collect the places of the attributes of a nested message. */
  SpanMessage.Places places() {
    places.clear();
    return places;
  }

  private void value(WireCursor wire, byte[] request, int level) throws MalformedRequestException {
    int type =
        switch (attribute.kind()) {
          case AttributeMessage.STRING -> 0;
          case AttributeMessage.BOOL -> 1;
          case AttributeMessage.INT -> 2;
          case AttributeMessage.DOUBLE -> 3;
          case AttributeMessage.BYTES -> 4;
          case AttributeMessage.ARRAY, AttributeMessage.MAP -> JSON;
          default -> -1;
        };
    for (int i = 0; i < values.length; i++) {
      if (i != type) {
        values[i].writeNull(level, there);
      }
    }
    int present = there + 1;
    switch (attribute.kind()) {
      case AttributeMessage.STRING, AttributeMessage.BYTES ->
          values[type].write(
              Binary.fromReusedByteArray(request, attribute.valueStart(), attribute.valueLength()),
              level,
              present);
      case AttributeMessage.BOOL -> values[type].write(attribute.number() != 0, level, present);
      case AttributeMessage.INT -> values[type].write(attribute.number(), level, present);
      case AttributeMessage.DOUBLE ->
          values[type].write(Double.longBitsToDouble(attribute.number()), level, present);
      case AttributeMessage.ARRAY, AttributeMessage.MAP ->
          values[type].write(
              Binary.fromConstantByteArray(PlainJson.of(wire, attribute)), level, present);
      default -> {}
    }
  }
}
