package io.rollotel.agent.ray;

import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.api.Tracing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@code get}, {@code wait} or {@code put} on this thread, with its span and its bytes. */
final class ObjectStoreUse {

  /** Threads are reused, so it is empty between two uses. */
  private static final ThreadLocal<ObjectStoreUse> CURRENT = new ThreadLocal<>();

  private final RemoteSpan span;
  private final @Nullable ObjectStoreUse outer;
  private long bytes;

  private ObjectStoreUse(RemoteSpan span, @Nullable ObjectStoreUse outer) {
    this.span = span;
    this.outer = outer;
  }

  static ObjectStoreUse start(Tracing tracing, String name, int objects) {
    ObjectStoreUse started =
        new ObjectStoreUse(tracing.send("ray." + name, "INTERNAL"), CURRENT.get());
    CURRENT.set(started);
    started.span.set("ray.objects", objects);
    return started;
  }

  /** This thread's current use of the object store; null if there is none. */
  static @Nullable ObjectStoreUse current() {
    return CURRENT.get();
  }

  /**
   * Adds moved values.
   *
   * @param values one stored value, or a list of them
   */
  void count(RayRuntime ray, Object values) throws Throwable {
    if (values instanceof List<?> list) {
      for (Object value : list) {
        bytes += ray.length(value);
      }
    } else {
      bytes += ray.length(values);
    }
  }

  void end(@Nullable Throwable thrown) {
    RayCalls.restore(CURRENT, outer);
    if (bytes > 0) {
      span.set("ray.bytes", bytes);
    }
    span.end(thrown);
  }
}
