package io.rollotel.parquet;

import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** Converts the output of {@link PlainJson} to OTLP/JSON. */
final class PlainJsonReader {

  private final JsonParser json;
  private final JsonGenerator out;

  private PlainJsonReader(JsonParser json, JsonGenerator out) {
    this.json = json;
    this.out = out;
  }

  /**
   * Writes the property that a value is, inside of its object.
   *
   * @throws JacksonException if it is not JSON
   */
  static void value(byte[] plain, JsonGenerator out) {
    try (JsonParser json = PlainJson.JSON.createParser(ObjectReadContext.empty(), plain)) {
      json.nextToken();
      new PlainJsonReader(json, out).value();
    }
  }

  /**
   * Writes the array of attributes that an object is; an empty one for any other value.
   *
   * @throws JacksonException if it is not JSON
   */
  static void attributes(byte[] plain, JsonGenerator out) {
    out.writeStartArray();
    try (JsonParser json = PlainJson.JSON.createParser(ObjectReadContext.empty(), plain)) {
      if (json.nextToken() == JsonToken.START_OBJECT) {
        PlainJsonReader reader = new PlainJsonReader(json, out);
        String key = json.nextName();
        if (PlainJson.MAP.equals(key) && json.nextToken() == JsonToken.START_OBJECT) {
          key = json.nextName();
        }
        reader.entries(key);
      }
    }
    out.writeEndArray();
  }

  /** The value at the parser's token, as a property of the value's object. */
  private void value() {
    switch (json.currentToken()) {
      case VALUE_STRING -> out.writeStringProperty("stringValue", json.getString());
      case VALUE_TRUE, VALUE_FALSE -> out.writeBooleanProperty("boolValue", json.getBooleanValue());
      case VALUE_NUMBER_INT -> out.writeStringProperty("intValue", json.getString());
      case VALUE_NUMBER_FLOAT -> {
        out.writeName("doubleValue");
        out.writeNumber(json.getString());
      }
      case START_ARRAY -> {
        out.writeName("arrayValue");
        out.writeStartObject();
        out.writeName("values");
        out.writeStartArray();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          out.writeStartObject();
          value();
          out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
      }
      case START_OBJECT -> object();
      default -> {}
    }
  }

  private void object() {
    String key = json.nextName();
    if (key != null && PlainJson.isSpecial(key)) {
      json.nextToken();
      if (key.equals(PlainJson.MAP)) {
        map(json.nextName());
      } else if (key.equals(PlainJson.BYTES)) {
        out.writeStringProperty(key, Base64.getEncoder().encodeToString(json.getBinaryValue()));
      } else {
        out.writeStringProperty(key, json.getString());
      }
      json.nextToken(); // the end of the enclosing object
    } else {
      map(key);
    }
  }

  private void map(@Nullable String key) {
    out.writeName("kvlistValue");
    out.writeStartObject();
    out.writeName("values");
    out.writeStartArray();
    entries(key);
    out.writeEndArray();
    out.writeEndObject();
  }

  /** From the first key to the object's end. */
  private void entries(@Nullable String first) {
    for (String key = first; key != null; key = json.nextName()) {
      json.nextToken();
      out.writeStartObject();
      out.writeStringProperty("key", key);
      out.writeName("value");
      out.writeStartObject();
      value();
      out.writeEndObject();
      out.writeEndObject();
    }
  }
}
