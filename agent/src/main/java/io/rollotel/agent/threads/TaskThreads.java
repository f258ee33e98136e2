package io.rollotel.agent.threads;

import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.loader.InnerLoader;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.transform.ResettableTransformers;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;

/**
 * The context follows work into other threads: weaves the JDK's executors and threads, which are
 * loaded already. That costs about as much as starting tracing, so it waits for the first use of
 * tracing; before that, there is no context to follow.
 */
public final class TaskThreads {

  private TaskThreads() {}

  /** Never throws. If it fails, contexts stay on their threads, and one line says so. */
  public static void weave(ResettableTransformers transformers, TracingCopies tracings) {
    long startNanos = System.nanoTime();
    try {
      Instrumentation instrumentation = transformers.instrumentation();
      if (AotRecording.isOn(instrumentation)) {
        AgentLog.warn(
            "the context does not follow work into other threads: this JVM records an AOT cache"
                + " or a class archive, and would crash at its end if the JDK's classes were changed"
                + " (record caches with ROLL_OTEL_ENABLED=0)");
        return;
      }
      TaskTransformer transformer =
          new TaskTransformer(instrumentation, new TaskContexts(tracings));
      List<Class<?>> classes = new ArrayList<>(transformer.places());
      for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
        if (loaded.getSuperclass() == Thread.class
            && loaded.getClassLoader() != null
            && !(loaded.getClassLoader() instanceof InnerLoader)
            && instrumentation.isModifiableClass(loaded)) {
          classes.add(loaded);
        }
      }
      transformers.add(transformer);
      transformers.retransform(classes);
      AgentLog.debug(
          classes.size()
              + " classes woven to hand the context on, in "
              + (System.nanoTime() - startNanos) / 1_000_000
              + " ms");
    } catch (Throwable t) {
      AgentLog.warn("the context does not follow work into other threads: " + t);
    }
  }
}
