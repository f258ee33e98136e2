package io.rollotel.agent.startup;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.transform.AnnotatedClassTransformer;
import io.rollotel.agent.transform.LoadedConstantPools;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which of the classes that were loaded before the agent could see them it has to weave. */
final class LoadedClasses {

  private final Instrumentation instrumentation;

  LoadedClasses(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** Those that the agent would have inspected during loading. */
  List<Class<?>> thatConcern(RunningAgent running, Class<?>[] loaded) {
    Predicate<Class<?>> mentionsAnnotation = constantPools();
    List<Class<?>> concerned = new ArrayList<>();
    for (Class<?> type : loaded) {
      if (running.concerns(type, mentionsAnnotation)) {
        concerned.add(type);
      }
    }
    return concerned;
  }

  private Predicate<Class<?>> constantPools() {
    try {
      return new LoadedConstantPools(instrumentation, AnnotatedClassTransformer.ANNOTATIONS);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      AgentLog.warn(
          "annotated classes that are loaded already cannot be found in this JVM, those that"
              + " ROLL_OTEL_METHODS names can ("
              + e
              + ")");
      return loaded -> false;
    }
  }
}
