package io.rollotel.spark;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** A broadcast value: each executor has one object, which all of its tasks share. */
final class Sent<T> implements Serializable {

  private final byte[] bytes;
  private transient @Nullable T object;

  Sent(T object) {
    this.bytes = Serial.bytes(object);
  }

  synchronized T get() {
    T known = object;
    if (known == null) {
      known = Serial.object(bytes);
      object = known;
    }
    return known;
  }
}
