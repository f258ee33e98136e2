package io.rollotel.agent.ray;

import io.rollotel.agent.api.Tracing;
import java.lang.ref.WeakReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tracing as the classes of a loader see it; remembers the last one, weakly. Any thread. */
final class LoaderTracing {

  private final Function<ClassLoader, @Nullable Tracing> tracings;

  private volatile @Nullable Last last;

  /** The tracing of the last requested loader. */
  private record Last(WeakReference<ClassLoader> loader, WeakReference<Tracing> tracing) {}

  LoaderTracing(Function<ClassLoader, @Nullable Tracing> tracings) {
    this.tracings = tracings;
  }

  /** Whether any was found so far. */
  boolean isKnown() {
    return last != null;
  }

  /**
   * The tracing of a loader; null if it is too late for it.
   *
   * @param loader null for the application's class path
   */
  @Nullable Tracing of(@Nullable ClassLoader loader) {
    ClassLoader asked = loader == null ? ClassLoader.getSystemClassLoader() : loader;
    Last known = last;
    if (known != null && known.loader.refersTo(asked)) {
      Tracing tracing = known.tracing.get();
      if (tracing != null) {
        return tracing;
      }
    }
    Tracing found = tracings.apply(asked);
    if (found != null) {
      last = new Last(new WeakReference<>(asked), new WeakReference<>(found));
    }
    return found;
  }
}
