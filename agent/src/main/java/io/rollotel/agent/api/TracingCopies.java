package io.rollotel.agent.api;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracing on every copy of the OpenTelemetry API that was used so far. Weakly: a dropped
 * application takes its copy along. Any thread.
 */
public final class TracingCopies {

  /** Replaced, never changed: a task that is handed over reads it without a lock. */
  private volatile List<WeakReference<Tracing>> all = List.of();

  /** All of them, of which some may be gone. */
  public List<WeakReference<Tracing>> all() {
    return all;
  }

  synchronized void add(Tracing tracing) {
    List<WeakReference<Tracing>> more = new ArrayList<>(all);
    more.removeIf(copy -> copy.refersTo(null));
    more.add(new WeakReference<>(tracing));
    all = List.copyOf(more);
  }

  /** Those that are still there. */
  List<Tracing> present() {
    List<Tracing> present = new ArrayList<>();
    for (WeakReference<Tracing> reference : all) {
      Tracing tracing = reference.get();
      if (tracing != null) {
        present.add(tracing);
      }
    }
    return present;
  }

  /** See {@link Tracing#currentTrace}, of the first copy that has a current span. */
  String @Nullable [] currentTrace() {
    for (WeakReference<Tracing> reference : all) {
      Tracing tracing = reference.get();
      String[] ids = tracing == null ? null : tracing.currentTrace();
      if (ids != null) {
        return ids;
      }
    }
    return null;
  }
}
