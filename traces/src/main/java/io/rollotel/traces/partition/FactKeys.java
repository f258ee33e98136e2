package io.rollotel.traces.partition;

import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The attributes that are facts: those that a report without a page reads, numbered by name. */
final class FactKeys {

  static final List<String> ALL =
      Objects.requireNonNull(new Spans().attributesRead()).stream().sorted().toList();

  private static final Map<String, Integer> NUMBERS = new HashMap<>();

  static {
    for (String key : ALL) {
      NUMBERS.put(key, NUMBERS.size());
    }
    if (ALL.size() > BlockWriter.MOST_FACTS) {
      throw new IllegalStateException("more facts than a block has room for");
    }
  }

  private FactKeys() {}

  /** Null if it is not a fact. */
  static @Nullable Integer number(String key) {
    return NUMBERS.get(key);
  }

  static boolean areAll(Set<String> keys) {
    return NUMBERS.keySet().containsAll(keys);
  }
}
