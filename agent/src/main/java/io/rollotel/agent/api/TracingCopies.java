package io.rollotel.agent.api;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracing on every copy of the OpenTelemetry API used so far. Holds them weakly, so that an
 * undeployed application can be collected with its copy. Any thread.
 */
public final class TracingCopies {

  /** Replaced under the lock and never changed: handing over a task reads it without a lock. */
  private volatile List<WeakReference<Tracing>> all = List.of();

  // Guarded by this.
  private boolean ended;

  /** All of them; some may have been collected. */
  public List<WeakReference<Tracing>> all() {
    return all;
  }

  /**
   * Adds one unless it already exists. After {@link #end} adds nothing and returns false: the
   * caller must not open it.
   */
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

  /** Those not yet collected. */
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
