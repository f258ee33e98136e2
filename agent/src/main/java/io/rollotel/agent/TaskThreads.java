package io.rollotel.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The context follows work into other threads: weaves the JDK's executors and threads, which are
 * loaded already. That costs about as much as starting tracing does, so it waits for the first use
 * of tracing; before, there is no context to follow.
 */
final class TaskThreads {

  private TaskThreads() {}

  /** Never throws: where it fails, contexts stay on their threads, and one line says so. */
  static void weave(ClassChanges changes, InnerLoader inner, ApiCopies copies) {
    long startNanos = System.nanoTime();
    try {
      Instrumentation instrumentation = changes.instrumentation();
      ClassFileTransformer weaver =
          Class.forName("io.rollotel.agent.weave.TaskWeaver", true, inner)
              .asSubclass(ClassFileTransformer.class)
              .getConstructor(Instrumentation.class, TaskContexts.class)
              .newInstance(instrumentation, new TaskContexts(copies));
      List<Class<?>> classes = new ArrayList<>(placesOf(weaver));
      for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
        if (loaded.getSuperclass() == Thread.class
            && loaded.getClassLoader() != null
            && !(loaded.getClassLoader() instanceof InnerLoader)
            && instrumentation.isModifiableClass(loaded)) {
          classes.add(loaded);
        }
      }
      changes.add(weaver);
      changes.retransform(classes);
      AgentLog.debug(
          classes.size()
              + " classes woven to hand the context on, in "
              + (System.nanoTime() - startNanos) / 1_000_000
              + " ms");
    } catch (Throwable t) {
      AgentLog.warn("the context does not follow work into other threads: " + t);
    }
  }

  @SuppressWarnings("unchecked") // the weaver implements just this
  private static List<Class<?>> placesOf(Object weaver) {
    return ((Supplier<List<Class<?>>>) weaver).get();
  }
}
