package io.rollotel.traces.report;

import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Writes rows as JSON: objects within arrays, and fields one after the other. */
public final class JsonRows {

  /** Creates generators that leave the stream open. */
  public static final JsonFactory JSON =
      JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

  private final JsonGenerator json;

  public JsonRows(JsonGenerator json) {
    this.json = json;
  }

  /** Writes a field. */
  public JsonRows put(String key, String value) {
    json.writeStringProperty(key, value);
    return this;
  }

  /** Writes a field. */
  public JsonRows put(String key, long value) {
    json.writeNumberProperty(key, value);
    return this;
  }

  /** Writes a field. */
  public JsonRows put(String key, double value) {
    json.writeNumberProperty(key, value);
    return this;
  }

  /** Writes a field. */
  public JsonRows put(String key, boolean value) {
    json.writeBooleanProperty(key, value);
    return this;
  }

  /** Writes a field unless it is not a number: JSON has neither NaN nor infinity. */
  public JsonRows putFinite(String key, double value) {
    return Double.isFinite(value) ? put(key, value) : this;
  }

  /** Writes a field; null if it is not a number. */
  public JsonRows putOrNull(String key, double value) {
    if (Double.isFinite(value)) {
      return put(key, value);
    }
    json.writeNullProperty(key);
    return this;
  }

  /** Writes a field with an object. */
  public JsonRows object(String key, Runnable fields) {
    json.writeObjectPropertyStart(key);
    fields.run();
    json.writeEndObject();
    return this;
  }

  /** Writes a field with an array; the elements are written by the caller. */
  public JsonRows array(String key, Runnable elements) {
    json.writeArrayPropertyStart(key);
    elements.run();
    json.writeEndArray();
    return this;
  }

  /** Writes a field with an array that has an object for each row. */
  public <T> JsonRows rows(String key, Iterable<T> rows, Consumer<T> fields) {
    return array(
        key,
        () -> {
          for (T row : rows) {
            objectElement(() -> fields.accept(row));
          }
        });
  }

  /** Writes an object as the next element of an array. */
  public void objectElement(Runnable fields) {
    json.writeStartObject();
    fields.run();
    json.writeEndObject();
  }

  /** Writes an array as the next element of an array. */
  public void arrayElement(Runnable elements) {
    json.writeStartArray();
    elements.run();
    json.writeEndArray();
  }

  /** Writes a field with an array of texts. */
  public JsonRows texts(String key, Iterable<String> texts) {
    return array(key, () -> texts.forEach(json::writeString));
  }

  /** Writes a text as the next element of an array. */
  public void text(String text) {
    json.writeString(text);
  }

  /** Writes a number as the next element of an array; null if it is not a number. */
  public void number(double number) {
    if (Double.isFinite(number)) {
      json.writeNumber(number);
    } else {
      json.writeNull();
    }
  }

  /** Writes whole numbers as the next elements of an array. */
  public void numbers(long... numbers) {
    for (long number : numbers) {
      json.writeNumber(number);
    }
  }
}
