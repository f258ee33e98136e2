package io.rollotel.telemetry;

import java.util.AbstractMap;
import java.util.Set;
import java.util.function.Supplier;

/** A map of which every method throws, as a payload's may. */
final class ThrowingMap<V> extends AbstractMap<String, V> {

  private final Supplier<Throwable> thrown;

  ThrowingMap(Supplier<Throwable> thrown) {
    this.thrown = thrown;
  }

  @Override
  public V get(Object key) {
    throw sneaky(thrown.get());
  }

  @Override
  public boolean containsKey(Object key) {
    throw sneaky(thrown.get());
  }

  @Override
  public V put(String key, V value) {
    throw sneaky(thrown.get());
  }

  @Override
  public V remove(Object key) {
    throw sneaky(thrown.get());
  }

  @Override
  public Set<Entry<String, V>> entrySet() {
    throw sneaky(thrown.get());
  }

  @Override
  public String toString() {
    return "ThrowingMap";
  }

  @SuppressWarnings("unchecked") // the compiler need not know
  private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
