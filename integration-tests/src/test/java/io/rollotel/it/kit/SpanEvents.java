package io.rollotel.it.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The exception events of a run's spans, which {@code TracesReader} does not read. */
public final class SpanEvents {

  private static final JsonFactory JSON = new JsonFactory();

  private SpanEvents() {}

  /** By span name: the events as {@code type: message}, those without a message as the type. */
  public static Map<String, List<String>> exceptions(ProgramRun.Result result) throws IOException {
    Map<String, List<String>> exceptions = new HashMap<>();
    Set<Object> known = new HashSet<>();
    Path folder = result.directory().resolve("output/otlp/traces");
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
        for (String line : Files.readAllLines(file)) {
          collect(parse(line), exceptions, known);
        }
      }
    }
    return exceptions;
  }

  private static void collect(
      Object json, Map<String, List<String>> exceptions, Set<Object> known) {
    if (json instanceof List<?> list) {
      list.forEach(element -> collect(element, exceptions, known));
    } else if (json instanceof Map<?, ?> map) {
      // Delivery is at least once: at an exit in a hurry, a span may lie in two files.
      if (map.containsKey("spanId")
          && map.get("events") instanceof List<?> events
          && known.add(map.get("spanId"))) {
        List<String> all =
            exceptions.computeIfAbsent((String) map.get("name"), name -> new ArrayList<>());
        events.forEach(event -> all.add(text((Map<?, ?>) event)));
      }
      map.values().forEach(value -> collect(value, exceptions, known));
    }
  }

  private static String text(Map<?, ?> event) {
    Map<String, Object> attributes = new HashMap<>();
    for (Object attribute : (List<?>) event.get("attributes")) {
      Map<?, ?> pair = (Map<?, ?>) attribute;
      attributes.put((String) pair.get("key"), ((Map<?, ?>) pair.get("value")).get("stringValue"));
    }
    Object message = attributes.get("exception.message");
    return attributes.get("exception.type") + (message == null ? "" : ": " + message);
  }

  /** A line as maps, lists and texts. */
  public static Object parse(String line) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
      parser.nextToken();
      return value(parser);
    }
  }

  private static Object value(JsonParser parser) {
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      List<Object> list = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        list.add(value(parser));
      }
      return list;
    }
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      Map<String, Object> map = new LinkedHashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        map.put(name, value(parser));
      }
      return map;
    }
    return parser.getString();
  }
}
