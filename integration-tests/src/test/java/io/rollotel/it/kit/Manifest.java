package io.rollotel.it.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** An object of a file for Kubernetes, and what Kubernetes makes of its parts. */
public record Manifest(Map<String, Object> fields) {

  /** The object of this kind in a file. */
  @SuppressWarnings("unchecked")
  public static Manifest of(Path file, String kind) throws IOException {
    for (Object each : new Yaml().loadAll(Files.readString(file))) {
      Map<String, Object> fields = (Map<String, Object>) each;
      if (fields.get("kind").equals(kind)) {
        return new Manifest(fields);
      }
    }
    throw new IllegalArgumentException("no " + kind + " in " + file);
  }

  /** What is at a path of keys and of numbers in lists: {@code spec.containers.0}. */
  @SuppressWarnings("unchecked")
  public <T> T at(String path) {
    Object found = fields;
    for (String key : path.split("\\.")) {
      found =
          found instanceof List<?> list
              ? list.get(Integer.parseInt(key))
              : ((Map<?, ?>) found).get(key);
    }
    return (T) found;
  }

  public Manifest in(String path) {
    return new Manifest(at(path));
  }

  /**
   * A container's environment.
   *
   * @param secrets values by the names of the secret and its key, with a slash
   */
  public Map<String, String> environment(Map<String, String> secrets) {
    Map<String, String> environment = new LinkedHashMap<>();
    List<Map<String, Object>> variables = at("env");
    for (Map<String, Object> variable : variables) {
      Object value = variable.get("value");
      if (value == null) {
        Manifest from = new Manifest(variable).in("valueFrom.secretKeyRef");
        value = secrets.get(from.at("name") + "/" + from.at("key"));
      }
      environment.put((String) variable.get("name"), expanded((String) value, environment));
    }
    return environment;
  }

  /** A container's command with its arguments. */
  public List<String> command(Map<String, String> environment) {
    List<String> command = new ArrayList<>();
    for (String part : List.of("command", "args")) {
      List<String> words = at(part);
      words.forEach(word -> command.add(expanded(word, environment)));
    }
    return command;
  }

  private static String expanded(String text, Map<String, String> environment) {
    String expanded = text;
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      expanded = expanded.replace("$(" + variable.getKey() + ")", variable.getValue());
    }
    return expanded;
  }
}
