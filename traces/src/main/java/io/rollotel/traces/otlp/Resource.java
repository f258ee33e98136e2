package io.rollotel.traces.otlp;

import java.io.Serializable;
import java.util.Map;

/**
 * The process that a span comes from, as its attributes describe it.
 *
 * @param attributes by key, as in {@link Span}; not modifiable as read
 */
public record Resource(Map<String, Object> attributes) implements Serializable {

  /** The attribute as text, empty if it is missing. */
  public String text(String key) {
    Object value = attributes.get(key);
    return value == null ? "" : value.toString();
  }
}
