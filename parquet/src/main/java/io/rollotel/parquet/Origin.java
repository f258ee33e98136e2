package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * The column values that all spans of a resource and a scope share; null if the column has none.
 */
final class Origin {

  /** The columns that are texts. */
  static final List<String> TEXTS =
      Stream.concat(
              SpanSchema.OF_RESOURCE.keySet().stream(),
              Stream.of(
                  "resource_attributes",
                  "resource_entity_refs",
                  "resource_schema_url",
                  "scope_name",
                  "scope_version",
                  "scope_attributes",
                  "scope_schema_url"))
          .toList();

  /** The columns that are numbers. */
  static final List<String> NUMBERS =
      List.of(
          SpanSchema.PROCESS_PID,
          "resource_dropped_attributes_count",
          "scope_dropped_attributes_count");

  // Each row reads all of them, so lookups by name would be too slow.
  private final @Nullable Binary[] texts = new @Nullable Binary[TEXTS.size()];
  private final @Nullable Long[] numbers = new @Nullable Long[NUMBERS.size()];

  void clear() {
    Arrays.fill(texts, null);
    Arrays.fill(numbers, null);
  }

  void clearScope() {
    for (int i = 0; i < texts.length; i++) {
      texts[i] = TEXTS.get(i).startsWith("scope_") ? null : texts[i];
    }
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = NUMBERS.get(i).startsWith("scope_") ? null : numbers[i];
    }
  }

  /** The text of a column, by its place among {@link #TEXTS}. */
  @Nullable Binary text(int column) {
    return texts[column];
  }

  /** The number of a column, by its place among {@link #NUMBERS}. */
  @Nullable Long number(int column) {
    return numbers[column];
  }

  void resource(WireCursor wire) throws MalformedRequestException {
    PlainJson attributes = new PlainJson();
    PlainJson entities = new PlainJson();
    int outer = wire.enter();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> {
          fact(wire);
          attributes.entry(wire);
        }
        case 2 -> dropped("resource_dropped_attributes_count", wire);
        case 3 -> entities.entity(wire);
        default -> wire.skip();
      }
    }
    wire.leave(outer);
    put("resource_attributes", attributes.object());
    put("resource_entity_refs", entities.array());
  }

  void scope(WireCursor wire) throws MalformedRequestException {
    PlainJson attributes = new PlainJson();
    int outer = wire.enter();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> text("scope_name", wire);
        case 2 -> text("scope_version", wire);
        case 3 -> attributes.entry(wire);
        case 4 -> dropped("scope_dropped_attributes_count", wire);
        default -> wire.skip();
      }
    }
    wire.leave(outer);
    put("scope_attributes", attributes.object());
  }

  void resourceSchemaUrl(WireCursor wire) throws MalformedRequestException {
    text("resource_schema_url", wire);
  }

  void scopeSchemaUrl(WireCursor wire) throws MalformedRequestException {
    text("scope_schema_url", wire);
  }

  private void put(String column, byte @Nullable [] value) {
    if (value != null) {
      texts[TEXTS.indexOf(column)] = Binary.fromConstantByteArray(value);
    }
  }

  private void text(String column, WireCursor wire) throws MalformedRequestException {
    int length = wire.length();
    byte[] text = new byte[length];
    System.arraycopy(wire.bytes(), wire.position(), text, 0, length);
    wire.moveTo(wire.position() + length);
    put(column, length == 0 ? null : text);
  }

  private void dropped(String column, WireCursor wire) throws MalformedRequestException {
    long count = wire.varint();
    if (count != 0) {
      numbers[NUMBERS.indexOf(column)] = count;
    }
  }

  /** Reads an attribute, if it has its own column, and moves back. */
  private void fact(WireCursor wire) throws MalformedRequestException {
    int start = wire.position();
    AttributeMessage attribute = new AttributeMessage();
    attribute.read(wire);
    wire.moveTo(start);
    String key = new String(wire.bytes(), attribute.keyStart(), attribute.keyLength(), UTF_8);
    if (key.equals(SpanSchema.PROCESS_PID_KEY)) {
      if (attribute.kind() == AttributeMessage.INT) {
        numbers[NUMBERS.indexOf(SpanSchema.PROCESS_PID)] = attribute.number();
      }
      return;
    }
    SpanSchema.OF_RESOURCE.forEach(
        (column, of) -> {
          if (of.equals(key)) {
            put(column, attribute.text(wire.bytes()));
          }
        });
  }
}
