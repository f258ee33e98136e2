package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is computed on first use; another JVM has it only if it was computed before. Not for
 * several threads at once.
 */
final class Lazy<T> implements Serializable {

  private final transient @Nullable Supplier<T> supplier;
  private @Nullable T value;

  Lazy(Supplier<T> supplier) {
    this.supplier = supplier;
  }

  T get() {
    T known = value;
    if (known == null) {
      if (supplier == null) {
        throw new IllegalStateException("it was not computed where it comes from");
      }
      known = supplier.get();
      value = known;
    }
    return known;
  }
}
