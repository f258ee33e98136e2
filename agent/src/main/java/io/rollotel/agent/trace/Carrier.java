package io.rollotel.agent.trace;

import io.rollotel.agent.AgentLog;
import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An argument that carries meta_info.
 *
 * @param index its place among the arguments that woven code passes on
 * @param reader from the argument to its meta_info, or null; never throws
 */
record Carrier(int index, MethodHandle reader) {

  /** {@code MetaInfoCarrier}'s method, and those of payloads that do not know it. */
  private static final List<String> GETTERS = List.of("metaInfo", "getMetaInfo", "getMeta_info");

  private static final MethodHandle AS_MAP;
  private static final MethodHandle IS_NULL;
  private static final MethodHandle UNREADABLE;

  static {
    try {
      MethodHandles.Lookup here = MethodHandles.lookup();
      AS_MAP =
          here.findStatic(Carrier.class, "asMap", MethodType.methodType(Map.class, Object.class));
      IS_NULL =
          here.findStatic(
              Carrier.class, "isNull", MethodType.methodType(boolean.class, Object.class));
      UNREADABLE =
          here.findStatic(
              Carrier.class, "unreadable", MethodType.methodType(Map.class, Throwable.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** For an argument that is the meta_info itself. */
  static MethodHandle ofMap() {
    return AS_MAP;
  }

  /** For an argument of a type that may have a getter for its meta_info; null where it has none. */
  static @Nullable MethodHandle of(String typeName, MethodHandles.Lookup caller) {
    Method getter = getter(typeName, caller.lookupClass().getClassLoader());
    if (getter == null) {
      return null;
    }
    try {
      MethodHandle read =
          caller.unreflect(getter).asType(MethodType.methodType(Map.class, Object.class));
      return guarded(read);
    } catch (IllegalAccessException e) {
      AgentLog.warnOnce(
          "the payload "
              + typeName
              + " keeps its meta_info to itself: "
              + getter
              + " is not accessible from "
              + caller.lookupClass().getName());
      return null;
    }
  }

  /**
   * {@code consumer}, which takes a meta_info, as a handle that takes all of the instruction's
   * arguments.
   */
  MethodHandle readInto(MethodHandle consumer, MethodType type) {
    MethodHandle one =
        MethodHandles.filterArguments(consumer, 0, reader)
            .asType(consumer.type().changeParameterType(0, type.parameterType(index)));
    MethodHandle behind =
        MethodHandles.dropArguments(
            one, 1, type.parameterList().subList(index + 1, type.parameterCount()));
    return MethodHandles.dropArguments(behind, 0, type.parameterList().subList(0, index));
  }

  private static @Nullable Method getter(String typeName, @Nullable ClassLoader loader) {
    try {
      Class<?> type = Class.forName(typeName, false, loader);
      for (String name : GETTERS) {
        try {
          Method method = type.getMethod(name);
          if (Map.class.isAssignableFrom(method.getReturnType())
              && !Modifier.isStatic(method.getModifiers())) {
            return method;
          }
        } catch (NoSuchMethodException next) {
          // the next name
        }
      }
    } catch (ClassNotFoundException | LinkageError absent) {
      // The parameter's type is not on the class path: then no argument can carry anything.
    }
    return null;
  }

  /** A null argument has no meta_info, and a getter that throws is the payload's fault. */
  private static MethodHandle guarded(MethodHandle read) {
    MethodHandle nothing = MethodHandles.empty(read.type());
    return MethodHandles.catchException(
        MethodHandles.guardWithTest(IS_NULL, nothing, read),
        Throwable.class,
        MethodHandles.dropArguments(UNREADABLE, 1, Object.class));
  }

  static boolean isNull(@Nullable Object argument) {
    return argument == null;
  }

  static @Nullable Map<?, ?> asMap(@Nullable Object argument) {
    return argument instanceof Map<?, ?> map ? map : null;
  }

  static @Nullable Map<?, ?> unreadable(Throwable thrown) {
    TraceHook.failed(thrown);
    return null;
  }
}
