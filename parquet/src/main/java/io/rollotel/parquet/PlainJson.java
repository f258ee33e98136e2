package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Attributes of a request as JSON for queries, from which {@link PlainJsonReader} restores the same
 * attributes: {@code {"a":1,"b":[true,"x"]}}.
 *
 * <p>Values that JSON lacks are in an object with one entry, named as in OTLP/JSON: {@code
 * {"bytesValue":"AQI="}} and {@code {"doubleValue":"NaN"}}. A map whose first key is one of these
 * names is wrapped once more, {@code {"kvlistValue":{…}}}. A double has a point or an exponent, an
 * integer has not; null is an attribute without a value.
 */
final class PlainJson {

  static final JsonFactory JSON = JsonFactory.builder().build();

  static final String BYTES = "bytesValue";
  static final String DOUBLE = "doubleValue";
  static final String MAP = "kvlistValue";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);
  private final JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out);
  private boolean isOpen;
  private boolean isWrapped;

  /** The JSON of an array or a map. */
  static byte[] of(WireCursor wire, AttributeMessage value) throws MalformedRequestException {
    PlainJson plain = new PlainJson();
    plain.value(wire, value);
    plain.json.close();
    return plain.out.toByteArray();
  }

  /** Adds the attribute at whose length the cursor is, and moves the cursor after it. */
  void entry(WireCursor wire) throws MalformedRequestException {
    AttributeMessage attribute = new AttributeMessage();
    attribute.read(wire);
    if (!isOpen) {
      isWrapped = startMap(wire.bytes(), attribute);
      isOpen = true;
    }
    field(wire, attribute);
  }

  /** The object of all entries; null if there is none. */
  byte @Nullable [] object() {
    if (!isOpen) {
      return null;
    }
    endMap(isWrapped);
    json.close();
    return out.toByteArray();
  }

  /** Adds a reference to an entity, as in OTLP/JSON. */
  void entity(WireCursor wire) throws MalformedRequestException {
    if (!isOpen) {
      json.writeStartArray();
      isOpen = true;
    }
    json.writeStartObject();
    int outer = wire.enter();
    int start = wire.position();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> named("schemaUrl", wire);
        case 2 -> named("type", wire);
        default -> wire.skip();
      }
    }
    names("idKeys", 3, start, wire);
    names("descriptionKeys", 4, start, wire);
    wire.leave(outer);
    json.writeEndObject();
  }

  /** The array of all entities; null if there is none. */
  byte @Nullable [] array() {
    if (!isOpen) {
      return null;
    }
    json.writeEndArray();
    json.close();
    return out.toByteArray();
  }

  private void named(String name, WireCursor wire) throws MalformedRequestException {
    json.writeName(name);
    text(wire);
  }

  private void names(String name, int field, int start, WireCursor wire)
      throws MalformedRequestException {
    json.writeName(name);
    json.writeStartArray();
    wire.moveTo(start);
    while (wire.next()) {
      if (wire.field() == field) {
        text(wire);
      } else {
        wire.skip();
      }
    }
    json.writeEndArray();
  }

  private void text(WireCursor wire) throws MalformedRequestException {
    int length = wire.length();
    json.writeUTF8String(wire.bytes(), wire.position(), length);
    wire.moveTo(wire.position() + length);
  }

  /** Begins a map; returns whether it is wrapped. */
  private boolean startMap(byte[] request, @Nullable AttributeMessage first) {
    boolean wraps = first != null && isSpecial(key(request, first));
    json.writeStartObject();
    if (wraps) {
      json.writeName(MAP);
      json.writeStartObject();
    }
    return wraps;
  }

  private void endMap(boolean wraps) {
    json.writeEndObject();
    if (wraps) {
      json.writeEndObject();
    }
  }

  static boolean isSpecial(String key) {
    return key.equals(BYTES) || key.equals(DOUBLE) || key.equals(MAP);
  }

  private static String key(byte[] request, AttributeMessage attribute) {
    return new String(request, attribute.keyStart(), attribute.keyLength(), UTF_8);
  }

  private void field(WireCursor wire, AttributeMessage attribute) throws MalformedRequestException {
    json.writeName(key(wire.bytes(), attribute));
    value(wire, attribute);
  }

  private void value(WireCursor wire, AttributeMessage value) throws MalformedRequestException {
    byte[] request = wire.bytes();
    switch (value.kind()) {
      case AttributeMessage.STRING ->
          json.writeUTF8String(request, value.valueStart(), value.valueLength());
      case AttributeMessage.BOOL -> json.writeBoolean(value.number() != 0);
      case AttributeMessage.INT -> json.writeNumber(value.number());
      case AttributeMessage.DOUBLE -> number(Double.longBitsToDouble(value.number()));
      case AttributeMessage.BYTES -> {
        json.writeStartObject();
        json.writeName(BYTES);
        json.writeBinary(
            Arrays.copyOfRange(
                request, value.valueStart(), value.valueStart() + value.valueLength()));
        json.writeEndObject();
      }
      case AttributeMessage.ARRAY -> array(wire, value.valueStart());
      case AttributeMessage.MAP -> map(wire, value.valueStart());
      default -> json.writeNull();
    }
  }

  private void number(double value) {
    if (Double.isFinite(value)) {
      json.writeNumber(value);
      return;
    }
    json.writeStartObject();
    json.writeStringProperty(DOUBLE, Double.toString(value));
    json.writeEndObject();
  }

  private void array(WireCursor wire, int place) throws MalformedRequestException {
    int before = wire.position();
    json.writeStartArray();
    wire.moveTo(place);
    int outer = wire.enter();
    AttributeMessage element = new AttributeMessage();
    while (wire.next()) {
      if (wire.field() == 1) {
        element.readValue(wire);
        value(wire, element);
      } else {
        wire.skip();
      }
    }
    wire.leave(outer);
    json.writeEndArray();
    wire.moveTo(before);
  }

  private void map(WireCursor wire, int place) throws MalformedRequestException {
    int before = wire.position();
    wire.moveTo(place);
    int outer = wire.enter();
    AttributeMessage entry = new AttributeMessage();
    boolean isStarted = false;
    boolean wraps = false;
    while (wire.next()) {
      if (wire.field() == 1) {
        entry.read(wire);
        if (!isStarted) {
          wraps = startMap(wire.bytes(), entry);
          isStarted = true;
        }
        field(wire, entry);
      } else {
        wire.skip();
      }
    }
    if (!isStarted) {
      json.writeStartObject();
    }
    endMap(wraps);
    wire.leave(outer);
    wire.moveTo(before);
  }
}
