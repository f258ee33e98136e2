package io.rollotel.agent.link;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.agent.weave.WovenMethod.Argument;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An argument that carries meta_info.
 *
 * @param index its index among the arguments that woven code passes on
 * @param many whether it is a list or an array of carriers
 * @param reader from the argument to its meta_info, or to an array of them; null for a value
 *     without meta_info; never throws
 */
record Carrier(int index, boolean many, MethodHandle reader) {

  /** As many links as the SDK keeps by default. */
  static final int MOST_LINKS = 128;

  private static final MethodType READER = MethodType.methodType(Map.class, Object.class);

  private static final MethodHandle AS_MAP;
  private static final MethodHandle IS_NULL;
  private static final MethodHandle UNREADABLE;
  private static final MethodHandle READ_ALL;

  static {
    MethodHandles.Lookup here = MethodHandles.lookup();
    try {
      AS_MAP = here.findStatic(Carrier.class, "asMap", READER);
      IS_NULL =
          here.findStatic(
              Carrier.class, "isNull", MethodType.methodType(boolean.class, Object.class));
      UNREADABLE =
          here.findStatic(
              Carrier.class,
              "unreadable",
              MethodType.methodType(Map.class, String.class, Throwable.class));
      READ_ALL =
          here.findStatic(
              Carrier.class,
              "readAll",
              MethodType.methodType(Map[].class, MethodHandle.class, int.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * The argument as a carrier; null if it is none.
   *
   * @param mostElements how many elements of a list or an array are read
   */
  static @Nullable Carrier of(
      int index, Argument argument, int mostElements, MethodHandles.Lookup caller) {
    switch (argument.use()) {
      case META_INFO -> {
        return new Carrier(index, false, AS_MAP);
      }
      case CANDIDATE -> {
        MethodHandle reader = reader(argument.type(), caller);
        return reader == null ? null : new Carrier(index, false, reader);
      }
      case CANDIDATES -> {
        MethodHandle reader = reader(argument.type(), caller);
        return reader == null
            ? null
            : new Carrier(
                index, true, MethodHandles.insertArguments(READ_ALL, 0, reader, mostElements));
      }
      default -> {
        return null;
      }
    }
  }

  /** Whether a payload's getter gives its only map: that may be a copy. */
  boolean isGetter() {
    return !many && reader != AS_MAP;
  }

  /**
   * A handle from a payload of the type to its meta_info; null if the type has no getter for it.
   */
  private static @Nullable MethodHandle reader(String typeName, MethodHandles.Lookup caller) {
    Class<?> type = type(typeName, caller.lookupClass().getClassLoader());
    Method getter = type == null ? null : getter(type);
    if (type == null || getter == null) {
      return null;
    }
    try {
      // By the payload's type: the getter may be declared in a type that is not visible to the
      // caller.
      return guarded(
          caller
              .findVirtual(type, getter.getName(), MethodType.methodType(getter.getReturnType()))
              .asType(READER),
          typeName + '.' + getter.getName() + "()");
    } catch (NoSuchMethodException | IllegalAccessException e) {
      AgentLog.warnOnce(
          "the payload "
              + typeName
              + " does not expose its meta_info: "
              + getter
              + " is not accessible from "
              + caller.lookupClass().getName());
      return null;
    }
  }

  /** Null if the type is not on the class path: then no argument can carry a context. */
  private static @Nullable Class<?> type(String name, @Nullable ClassLoader loader) {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError absent) {
      return null;
    }
  }

  private static @Nullable Method getter(Class<?> type) {
    for (String name : WovenMethod.META_INFO_GETTERS) {
      try {
        Method method = type.getMethod(name);
        if (Map.class.isAssignableFrom(method.getReturnType())
            && !Modifier.isStatic(method.getModifiers())) {
          return method;
        }
      } catch (NoSuchMethodException next) {
        // the next name
      } catch (LinkageError absent) {
        return null; // a type in the signature of one of its methods
      }
    }
    return null;
  }

  /** A null argument has no meta_info, and a getter that throws is the payload's fault. */
  private static MethodHandle guarded(MethodHandle read, String getter) {
    return MethodHandles.catchException(
        MethodHandles.guardWithTest(IS_NULL, MethodHandles.empty(READER), read),
        Throwable.class,
        MethodHandles.dropArguments(UNREADABLE.bindTo(getter), 1, Object.class));
  }

  static boolean isNull(@Nullable Object argument) {
    return argument == null;
  }

  static @Nullable Map<?, ?> asMap(@Nullable Object argument) {
    return argument instanceof Map<?, ?> map ? map : null;
  }

  static @Nullable Map<?, ?> unreadable(String getter, Throwable thrown) {
    TraceHook.failed(thrown, getter, "this payload's context is not read");
    return null;
  }

  /** The meta_info of the elements of a list or an array; a single null if it is empty. */
  static @Nullable Map<?, ?>[] readAll(
      MethodHandle reader, int mostElements, @Nullable Object argument) {
    List<@Nullable Map<?, ?>> all = new ArrayList<>();
    try {
      List<?> list =
          argument instanceof Object[] array
              ? Arrays.asList(array)
              : argument instanceof List<?> given ? given : List.of();
      int size = Math.min(mostElements, list.size()); // an iterator may be endless
      Iterator<?> elements = list.iterator();
      while (all.size() < size && elements.hasNext()) {
        all.add((Map<?, ?>) reader.invokeExact((Object) elements.next()));
      }
    } catch (Throwable t) {
      // A list that another thread is changing, or a defective one.
      TraceHook.failed(t);
    }
    if (all.isEmpty()) {
      all.add(null);
    }
    return all.toArray(new Map<?, ?>[0]);
  }
}
