package io.rollotel.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context follows work into other threads: weaves the JDK's executors and threads, which are
 * loaded already. That costs about as much as starting tracing does, so it waits for the first use
 * of tracing; before, there is no context to follow.
 */
final class TaskThreads {

  private TaskThreads() {}

  /** Never throws: where it fails, contexts stay on their threads, and one line says so. */
  static void weave(Instrumentation instrumentation, InnerLoader inner, ApiCopies copies) {
    long startNanos = System.nanoTime();
    try {
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
      instrumentation.addTransformer(weaver, true);
      retransform(instrumentation, classes);
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

  /** All at once, which is cheap; where one of them is refused, one by one. */
  private static void retransform(Instrumentation instrumentation, List<Class<?>> classes) {
    if (failure(instrumentation, classes) == null) {
      return;
    }
    for (Class<?> type : classes) {
      Throwable failure = failure(instrumentation, List.of(type));
      if (failure != null) {
        AgentLog.warn(type.getName() + " does not hand the context on: " + failure);
      }
    }
  }

  private static @Nullable Throwable failure(
      Instrumentation instrumentation, List<Class<?>> classes) {
    try {
      instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
      return null;
    } catch (UnmodifiableClassException | RuntimeException | LinkageError e) {
      return e;
    }
  }
}
