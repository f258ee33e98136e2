package io.rollotel.it.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The spans in a run's files as they are written there, with events and status; each once, since
 * one whose export timed out on a busy machine may have been delivered twice.
 */
public final class FileSpans {

  /** A span; its attributes by their OTLP types, its events as {@code name{key=text}}. */
  public record Entry(
      String name,
      String traceId,
      String spanId,
      String parent,
      long startNanos,
      Map<String, Object> attributes,
      List<String> events,
      String status) {}

  private final List<Entry> all = new ArrayList<>();
  private final Set<String> files = new TreeSet<>();
  private Map<String, Object> resource = Map.of();

  public FileSpans(ProgramRun.Result result) throws IOException {
    Set<String> read = new HashSet<>();
    try (Stream<Path> found = Files.list(result.directory().resolve("output/otlp/traces"))) {
      for (Path file : found.filter(path -> path.toString().endsWith(".jsonl")).sorted().toList()) {
        for (String line : Files.readAllLines(file)) {
          files.add(file.getFileName().toString());
          Object request = SpanEvents.parse(line);
          for (Map<?, ?> spans : all(request, "resourceSpans")) {
            resource = attributes((Map<?, ?>) spans.get("resource"));
          }
          for (Map<?, ?> span : all(request, "spans")) {
            if (read.add(span.get("traceId") + " " + span.get("spanId"))) {
              all.add(entry(span));
            }
          }
        }
      }
    }
    all.sort(Comparator.comparingLong(Entry::startNanos));
  }

  public List<Entry> all() {
    return all;
  }

  /** The names of the files that hold lines. */
  public Set<String> files() {
    return files;
  }

  /** The resource of the last request. */
  public Map<String, Object> resource() {
    return resource;
  }

  /** The only span of this name that has this attribute. */
  public Entry with(String name, String key, Object value) {
    List<Entry> found =
        all.stream()
            .filter(span -> span.name.equals(name) && value.equals(span.attributes.get(key)))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " of " + name + " with " + key + "=" + value);
    }
    return found.get(0);
  }

  /** The children, by their starts. */
  public List<Entry> below(Entry parent) {
    return all.stream()
        .filter(s -> s.parent.equals(parent.spanId) && s.traceId.equals(parent.traceId))
        .toList();
  }

  private static Entry entry(Map<?, ?> span) {
    List<String> events = new ArrayList<>();
    for (Map<?, ?> event : all(span, "events")) {
      events.add(event.get("name") + attributes(event).toString());
    }
    Map<?, ?> status = span.get("status") instanceof Map<?, ?> given ? given : Map.of();
    String code =
        switch (String.valueOf(status.get("code"))) {
          case "1" -> "OK";
          case "2" -> "ERROR";
          default -> "UNSET";
        };
    Object parent = span.get("parentSpanId");
    return new Entry(
        (String) span.get("name"),
        (String) span.get("traceId"),
        (String) span.get("spanId"),
        parent == null ? "" : (String) parent,
        Long.parseLong((String) span.get("startTimeUnixNano")),
        attributes(span),
        events,
        status.containsKey("message") ? code + " " + status.get("message") : code);
  }

  /** The maps in a list of this name, at any depth, but not below another list of that name. */
  public static List<Map<?, ?>> all(Object json, String name) {
    List<Map<?, ?>> found = new ArrayList<>();
    if (json instanceof List<?> list) {
      list.forEach(element -> found.addAll(all(element, name)));
    } else if (json instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            if (key.equals(name)) {
              ((List<?>) value).forEach(element -> found.add((Map<?, ?>) element));
            } else {
              found.addAll(all(value, name));
            }
          });
    }
    return found;
  }

  public static Map<String, Object> attributes(Map<?, ?> of) {
    Map<String, Object> attributes = new TreeMap<>();
    if (of.get("attributes") instanceof List<?> list) {
      for (Object attribute : list) {
        Map<?, ?> pair = (Map<?, ?>) attribute;
        Map<?, ?> value = (Map<?, ?>) pair.get("value");
        String type = (String) value.keySet().iterator().next();
        String text = String.valueOf(value.get(type));
        attributes.put(
            (String) pair.get("key"),
            switch (type) {
              case "intValue" -> (Object) Long.valueOf(text);
              case "doubleValue" -> (Object) Double.valueOf(text);
              case "boolValue" -> (Object) Boolean.valueOf(text);
              default -> text;
            });
      }
    }
    return attributes;
  }
}
