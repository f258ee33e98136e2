package io.rollotel.traces.otlp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads attributes: most are skipped, and usually at most one is kept. */
final class KeyValues {

  private KeyValues() {}

  /**
   * Values by their keys. Not modifiable.
   *
   * @param kept the keys to turn into objects, which is much of the work; null for all
   */
  static Map<String, Object> read(JsonCursor json, String name, @Nullable Set<String> kept)
      throws UnreadableLineException {
    Map<String, Object> values = Map.of();
    int place = 0;
    for (boolean more = json.entersArray(name); more; more = json.hasNext()) {
      Attribute attribute = json.knownAttribute(place, kept);
      if (attribute == null) {
        attribute = next(json, name, kept, place);
      }
      if (attribute.isKept()) {
        values = with(values, attribute.key(), attribute.value());
      }
      place++;
    }
    return values instanceof LinkedHashMap ? Collections.unmodifiableMap(values) : values;
  }

  private static Attribute next(JsonCursor json, String name, @Nullable Set<String> kept, int place)
      throws UnreadableLineException {
    int from = json.position();
    Attribute attribute =
        kept != null && json.skipsAttribute(kept) ? Attribute.SKIPPED : attribute(json, name, kept);
    json.knowAttribute(place, from, kept, attribute);
    return attribute;
  }

  private static Attribute attribute(JsonCursor json, String name, @Nullable Set<String> kept)
      throws UnreadableLineException {
    String attribute = "";
    Object value = "";
    boolean isKept = true;
    if (json.entersObject(name)) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        switch (key) {
          case "key" -> {
            attribute = json.repeatedText(key);
            isKept = kept == null || kept.contains(attribute);
          }
          case "value" -> {
            if (isKept) {
              value = value(json);
            } else {
              json.skip();
            }
          }
          default -> json.skip();
        }
      }
    }
    // An attribute without a key is stored under the empty key, which has not been set so far.
    return new Attribute(attribute, value, kept == null || kept.contains(attribute));
  }

  private static Map<String, Object> with(
      Map<String, Object> values, String attribute, Object value) {
    if (values.isEmpty()) {
      return Map.of(attribute, value);
    }
    Map<String, Object> all =
        values instanceof LinkedHashMap ? values : new LinkedHashMap<>(values);
    all.put(attribute, value);
    return all;
  }

  private static Object value(JsonCursor json) throws UnreadableLineException {
    Object value = "";
    if (json.entersObject("value")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        switch (key) {
          case "stringValue" -> value = json.text(key);
          case "boolValue" -> value = Boolean.parseBoolean(json.text(key));
          case "intValue" -> value = json.integer(key);
          case "doubleValue" -> value = json.floating(key);
          case "arrayValue" -> value = array(json);
          case "kvlistValue" -> value = keyValueList(json);
          case "bytesValue" -> value = json.bytes(key);
          default -> json.skip();
        }
      }
    }
    return value;
  }

  private static List<Object> array(JsonCursor json) throws UnreadableLineException {
    List<Object> values = new ArrayList<>();
    if (json.entersObject("arrayValue")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        if (key.equals("values")) {
          for (boolean more = json.entersArray(key); more; more = json.hasNext()) {
            values.add(value(json));
          }
        } else {
          json.skip();
        }
      }
    }
    return Collections.unmodifiableList(values);
  }

  private static Map<String, Object> keyValueList(JsonCursor json) throws UnreadableLineException {
    Map<String, Object> values = Map.of();
    if (json.entersObject("kvlistValue")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        if (key.equals("values")) {
          values = read(json, key, null);
        } else {
          json.skip();
        }
      }
    }
    return values;
  }
}
