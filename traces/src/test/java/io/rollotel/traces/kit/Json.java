package io.rollotel.traces.kit;

import io.rollotel.traces.report.JsonRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** JSON as maps, lists, strings, booleans and BigDecimals. */
public final class Json {

  private Json() {}

  public static @Nullable Object parse(String text) {
    try (JsonParser json = JsonRows.JSON.createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("more than one value");
      }
      return value;
    }
  }

  private static @Nullable Object value(JsonParser json) {
    switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String key = json.currentName();
          json.nextToken();
          if (map.put(key, value(json)) != null) {
            throw new IllegalArgumentException("twice: " + key);
          }
        }
        return map;
      }
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(json));
        }
        return list;
      }
      case VALUE_STRING -> {
        return json.getString();
      }
      case VALUE_TRUE -> {
        return true;
      }
      case VALUE_FALSE -> {
        return false;
      }
      case VALUE_NULL -> {
        return null;
      }
      default -> {
        return json.getDecimalValue();
      }
    }
  }
}
