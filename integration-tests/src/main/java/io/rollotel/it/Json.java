package io.rollotel.it;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** JSON as maps, lists, texts, longs, doubles and booleans. */
final class Json {

  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** The object that the text is. */
  static Map<String, Object> object(String text) {
    try (JsonParser in = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      in.nextToken();
      return map(value(in));
    }
  }

  /** The value as an object. */
  @SuppressWarnings({"unchecked", "NullAway"}) // as value makes it
  static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) value;
  }

  /** The value as a list of objects; an empty one for none. */
  @SuppressWarnings("unchecked") // as value makes it
  static List<Map<String, Object>> maps(@Nullable Object value) {
    return value == null ? List.of() : (List<Map<String, Object>>) value;
  }

  /** The reverse of {@link #object}. */
  static String text(Map<String, ?> object) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      write(out, object);
    }
    return text.toString();
  }

  @SuppressWarnings("NullAway") // JSON has null
  private static @Nullable Object value(JsonParser in) {
    return switch (in.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> object = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
          String name = in.currentName();
          in.nextToken();
          object.put(name, value(in));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<Object> array = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          array.add(value(in));
        }
        yield array;
      }
      case VALUE_NUMBER_INT -> in.getLongValue();
      case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> in.getString();
    };
  }

  private static void write(JsonGenerator out, @Nullable Object value) {
    if (value instanceof Map<?, ?> object) {
      out.writeStartObject();
      object.forEach(
          (name, member) -> {
            out.writeName(String.valueOf(name));
            write(out, member);
          });
      out.writeEndObject();
    } else if (value instanceof List<?> array) {
      out.writeStartArray();
      array.forEach(element -> write(out, element));
      out.writeEndArray();
    } else if (value == null) {
      out.writeNull();
    } else if (value instanceof Number number) {
      out.writeNumber(number.toString());
    } else if (value instanceof Boolean truth) {
      out.writeBoolean(truth);
    } else {
      out.writeString(value.toString());
    }
  }
}
