package io.rollotel.agent.correlation;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.threads.TaskThreads;
import io.rollotel.agent.transform.ResettableTransformers;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;

/**
 * Logback's and Log4j 2's events carry the current span's ids: weaves the few classes of theirs
 * that read an event's context data, so that a span costs nothing and leaves nothing behind. Waits
 * for the first use of tracing, as {@link TaskThreads} does.
 */
public final class LogLibraries {

  private LogLibraries() {}

  /** Never throws. If it fails, log lines have no ids, and one line says so. */
  public static void weave(ResettableTransformers transformers) {
    try {
      transformers.add(new LogEventTransformer());
      Instrumentation instrumentation = transformers.instrumentation();
      List<Class<?>> classes = new ArrayList<>();
      for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
        if (LogEventTransformer.NAMES.contains(loaded.getName())) {
          classes.add(loaded);
        }
      }
      transformers.retransform(classes);
    } catch (Throwable t) {
      AgentLog.warn("log lines do not name their spans: " + t);
    }
  }
}
