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

  /** Replaced under this, never changed: a task that is handed over reads it without a lock. */
  private volatile List<WeakReference<Tracing>> all = List.of();

  // Guarded by this.
  private boolean ended;

  /** All of them, of which some may be gone. */
  public List<WeakReference<Tracing>> all() {
    return all;
  }

  /** Adds one, if it is not there yet; false after {@link #end}, which must not miss one. */
  synchronized boolean add(Tracing tracing) {
    if (ended) {
      return false;
    }
    List<WeakReference<Tracing>> more = without(tracing);
    more.add(new WeakReference<>(tracing));
    all = List.copyOf(more);
    return true;
  }

  synchronized void remove(Tracing tracing) {
    all = List.copyOf(without(tracing));
  }

  /** None is added from now on. */
  synchronized void end() {
    ended = true;
  }

  private List<WeakReference<Tracing>> without(Tracing tracing) {
    List<WeakReference<Tracing>> others = new ArrayList<>(all);
    others.removeIf(copy -> copy.refersTo(null) || copy.refersTo(tracing));
    return others;
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
