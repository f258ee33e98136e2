package io.rollotel.agent.threads;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rollotel.agent.hook.TaskHook;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The copy of {@link TaskHook} that the JDK's classes see: defined beside them, in a package of
 * {@code java.base} that is opened for that purpose, to the agent's own loader only.
 */
final class TaskHookCopy {

  /**
   * Its internal name has the length of the original's, so that it can be replaced in the class
   * file.
   */
  static final String NAME = "java/util/concurrent/RollOtelTo";

  private static final String ORIGINAL = "io/rollotel/agent/hook/TaskHook";

  private TaskHookCopy() {}

  /** Defines the class, unless an earlier attachment has, and opens its package. */
  static Class<?> define(Instrumentation instrumentation)
      throws IOException, IllegalAccessException {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of(FutureTask.class.getPackageName(), Set.of(TaskHookCopy.class.getModule())),
        Set.of(),
        Map.of());
    CallInContext.begin();
    try {
      return Class.forName(NAME.replace('/', '.'), false, null);
    } catch (ClassNotFoundException notYet) {
      try (InputStream in =
          TaskHookCopy.class.getClassLoader().getResourceAsStream(ORIGINAL + ".class")) {
        return MethodHandles.privateLookupIn(FutureTask.class, MethodHandles.lookup())
            .defineClass(renamed(Objects.requireNonNull(in).readAllBytes()));
      }
    }
  }

  /** Puts the contexts behind the copy, or null to take them away. */
  static void connect(Class<?> copy, @Nullable TaskContexts contexts)
      throws ReflectiveOperationException {
    Consumer<Object> handOver = null;
    UnaryOperator<Runnable> submit = null;
    UnaryOperator<Runnable> wrap = null;
    Function<Object, @Nullable Object> begin = null;
    Supplier<@Nullable Object> clear = null;
    if (contexts != null) {
      handOver = contexts::handOver;
      submit = contexts::submit;
      wrap = contexts::wrap;
      begin = contexts::begin;
      clear = contexts::clear;
    }
    copy.getMethod(
            "connect",
            Consumer.class,
            UnaryOperator.class,
            UnaryOperator.class,
            Function.class,
            Supplier.class)
        .invoke(null, handOver, submit, wrap, begin, clear);
  }

  private static byte[] renamed(byte[] bytes) {
    return new String(bytes, ISO_8859_1).replace(ORIGINAL, NAME).getBytes(ISO_8859_1);
  }
}
