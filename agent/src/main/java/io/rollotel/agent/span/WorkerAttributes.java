package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.internal.AttributeUtil;
import io.opentelemetry.sdk.internal.AttributesMap;
import io.opentelemetry.sdk.trace.SpanLimits;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A span's attributes: a few are pairs in an array, which takes a fifth of a hash map's memory;
 * many become an {@link AttributesMap}. Mirrors the SDK's, including limits and count. Guarded by
 * its span while that lives.
 */
final class WorkerAttributes implements Attributes {

  /** Searching more of them would cost more than hashing. */
  private static final int FEW = 16;

  private final SpanLimits limits;

  /** Key, value, key, value. */
  private @Nullable Object[] pairs = new Object[8];

  private int size;
  private int totalAdded;
  private @Nullable AttributesMap many;

  WorkerAttributes(SpanLimits limits) {
    this.limits = limits;
  }

  /** Adds or replaces an attribute, within the limits. */
  void put(AttributeKey<?> key, Object value) {
    if (many != null) {
      many.put(key, value);
      return;
    }
    int index = indexOf(key);
    if (index < 0 && size == FEW) {
      many = toMap();
      totalAdded -= many.getTotalAddedValues(); // it counts these, and later ones
      many.put(key, value);
      return;
    }
    totalAdded++;
    if (index < 0) {
      if (size >= limits.getMaxNumberOfAttributes()) {
        return;
      }
      index = 2 * size++;
      if (index == pairs.length) {
        pairs = Arrays.copyOf(pairs, 2 * index);
      }
      pairs[index] = key;
    }
    pairs[index + 1] =
        AttributeUtil.applyAttributeLengthLimit(value, limits.getMaxAttributeValueLength());
  }

  /** How often {@link #put} was called, including calls beyond the limits. */
  int totalAdded() {
    return many == null ? totalAdded : totalAdded + many.getTotalAddedValues();
  }

  /** As they are now. */
  Attributes copy() {
    return toMap().immutableCopy();
  }

  private AttributesMap toMap() {
    if (many != null) {
      return many;
    }
    AttributesMap map =
        AttributesMap.create(
            limits.getMaxNumberOfAttributes(), limits.getMaxAttributeValueLength());
    forEach(map::put);
    return map;
  }

  private int indexOf(AttributeKey<?> key) {
    for (int i = 0; i < 2 * size; i += 2) {
      if (key.equals(pairs[i])) {
        return i;
      }
    }
    return -1;
  }

  @Override
  @SuppressWarnings("unchecked") // stored with the key's own type
  public <T> @Nullable T get(AttributeKey<T> key) {
    if (many != null) {
      return many.get(key);
    }
    int index = indexOf(key);
    return index < 0 ? null : (T) pairs[index + 1];
  }

  @Override
  public void forEach(BiConsumer<? super AttributeKey<?>, ? super Object> consumer) {
    if (many != null) {
      many.forEach(consumer);
      return;
    }
    for (int i = 0; i < 2 * size; i += 2) {
      Object key = pairs[i];
      Object value = pairs[i + 1];
      if (key != null && value != null) {
        consumer.accept((AttributeKey<?>) key, value);
      }
    }
  }

  @Override
  public int size() {
    return many == null ? size : many.size();
  }

  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public Map<AttributeKey<?>, Object> asMap() {
    Map<AttributeKey<?>, Object> map = new LinkedHashMap<>();
    forEach(map::put);
    return Collections.unmodifiableMap(map);
  }

  @Override
  public AttributesBuilder toBuilder() {
    return Attributes.builder().putAll(this);
  }

  @Override
  public String toString() {
    return asMap().toString();
  }
}
