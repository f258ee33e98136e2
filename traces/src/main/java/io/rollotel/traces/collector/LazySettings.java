package io.rollotel.traces.collector;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a collector. They are read on first use, since most workers never need them. Any
 * thread.
 */
final class LazySettings {

  /** The user's settings; null if fixed settings were given. */
  private final @Nullable Function<String, @Nullable String> values;

  private final Consumer<String> warn;
  private volatile @Nullable CollectorSettings known;

  /** Those that the user sets: {@link CollectorSettings#read}. */
  LazySettings(Function<String, @Nullable String> values, Consumer<String> warn) {
    this.values = values;
    this.warn = warn;
  }

  /** Fixed settings. */
  LazySettings(CollectorSettings fixed, Consumer<String> warn) {
    this.values = null;
    this.warn = warn;
    this.known = fixed;
  }

  /** All of them. The first call reports the user's mistakes. */
  CollectorSettings get() {
    CollectorSettings read = known;
    if (read == null) {
      read = CollectorSettings.read(Objects.requireNonNull(values), warn);
      known = read;
    }
    return read;
  }

  /**
   * How much the user lets a run write, as in {@link CollectorSettings#runBytes}. A worker reads no
   * other settings of the collector, and reports problems of no others.
   */
  @Nullable Long runBytes(boolean isForWorker) {
    return !isForWorker || values == null
        ? get().runBytes()
        : CollectorSettings.readRunBytes(values, warn);
  }

  /** Whether the user has set where the collector listens. */
  boolean hasHost() {
    return values != null && values.apply(CollectorTable.COLLECTOR_HOST.name()) != null;
  }
}
