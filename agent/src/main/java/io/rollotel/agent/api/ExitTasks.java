package io.rollotel.agent.api;

import io.rollotel.agent.hook.TraceHook;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Work to do before tracing ends: the application's open runs are recorded. */
final class ExitTasks implements Runnable {

  // Guarded by this.
  private final Set<Runnable> works = new LinkedHashSet<>();
  private boolean ran;

  /** False if it is too late. */
  synchronized boolean add(Runnable work) {
    return !ran && works.add(work);
  }

  synchronized void remove(Runnable work) {
    works.remove(work);
  }

  @Override
  public void run() {
    List<Runnable> all;
    synchronized (this) {
      ran = true;
      all = new ArrayList<>(works);
      works.clear();
    }
    for (Runnable work : all) {
      try {
        work.run();
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }
}
