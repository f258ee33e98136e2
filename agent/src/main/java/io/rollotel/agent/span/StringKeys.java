package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keys of the few attributes of remote calls. They are created once and keep their encoded form.
 */
final class StringKeys {

  private static final Map<String, AttributeKey<String>> KEYS = new ConcurrentHashMap<>();

  private StringKeys() {}

  /** The key of a name from a fixed set. */
  static AttributeKey<String> of(String name) {
    AttributeKey<String> known = KEYS.get(name);
    return known == null ? KEYS.computeIfAbsent(name, AttributeKey::stringKey) : known;
  }
}
