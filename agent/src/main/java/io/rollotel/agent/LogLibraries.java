package io.rollotel.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Logback's and Log4j 2's events carry the current span's ids: weaves the few classes of theirs
 * that read an event's context data, so that a span costs nothing and leaves nothing behind. Waits
 * for the first use of tracing, as {@link TaskThreads} does.
 */
final class LogLibraries {

  private LogLibraries() {}

  /** Never throws: where it fails, log lines go without ids, and one line says so. */
  static void weave(ClassChanges changes, InnerLoader inner) {
    try {
      ClassFileTransformer weaver =
          Class.forName("io.rollotel.agent.weave.LogWeaver", true, inner)
              .asSubclass(ClassFileTransformer.class)
              .getConstructor()
              .newInstance();
      Set<String> names = namesOf(weaver);
      changes.add(weaver);
      Instrumentation instrumentation = changes.instrumentation();
      List<Class<?>> classes = new ArrayList<>();
      for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
        if (names.contains(loaded.getName())) {
          classes.add(loaded);
        }
      }
      changes.retransform(classes);
    } catch (Throwable t) {
      AgentLog.warn(
          "log lines do not name their spans: " + (t.getCause() == null ? t : t.getCause()));
    }
  }

  @SuppressWarnings("unchecked") // the weaver implements just this
  private static Set<String> namesOf(Object weaver) {
    return ((Supplier<Set<String>>) weaver).get();
  }
}
