package io.rollotel.traces.otlp;

/**
 * An attribute of a line.
 *
 * @param value as in {@link Span#attributes}
 * @param isKept whether it becomes part of the span; otherwise the value is empty
 */
record Attribute(String key, Object value, boolean isKept) {

  /** One that was not read. */
  static final Attribute SKIPPED = new Attribute("", "", false);
}
