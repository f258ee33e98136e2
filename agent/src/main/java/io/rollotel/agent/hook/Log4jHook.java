package io.rollotel.agent.hook;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * What is woven into Log4j calls this with the context data of an event. Log4j's types are those of
 * the class that calls, and are known here by name alone. Nothing here throws, except an error of
 * the JVM (out of memory, or a stack overflow) while the instruction is linked. The logging call
 * receives it, as it might have one step later.
 */
public final class Log4jHook {

  private Log4jHook() {}

  /** Bootstrap of the invokedynamic instruction before the returns of {@code injectContextData}. */
  public static CallSite link(Lookup caller, String name, MethodType type) {
    try {
      MethodHandle withTrace =
          MethodHandles.lookup()
              .findVirtual(ContextData.class, "withTrace", MethodType.genericMethodType(1))
              .bindTo(ContextData.seenBy(caller, type.returnType()));
      return new ConstantCallSite(withTrace.asType(type));
    } catch (VirtualMachineError passing) {
      // Out of memory or of stack: the JVM does not remember it, so the next call links again.
      throw passing;
    } catch (Throwable t) {
      TraceHook.failed(t);
      return new ConstantCallSite(MethodHandles.identity(type.returnType()));
    }
  }

  /** Log4j's {@code StringMap}: a record, since the JIT compiler takes its fields for constants. */
  private record ContextData(
      MethodHandle containsKey,
      MethodHandle isFrozen,
      MethodHandle copy,
      MethodHandle putValue,
      MethodHandle freeze) {

    static ContextData seenBy(Lookup caller, Class<?> map) throws ReflectiveOperationException {
      Class<?> factory = caller.findClass("org.apache.logging.log4j.core.impl.ContextDataFactory");
      Class<?> readable = caller.findClass("org.apache.logging.log4j.util.ReadOnlyStringMap");
      MethodType create = MethodType.methodType(map, readable);
      return new ContextData(
          method(caller, map, "containsKey", boolean.class, String.class),
          method(caller, map, "isFrozen", boolean.class),
          caller.findStatic(factory, "createContextData", create).asType(create.generic()),
          method(caller, map, "putValue", void.class, String.class, Object.class),
          method(caller, map, "freeze", void.class));
    }

    private static MethodHandle method(
        Lookup caller, Class<?> map, String name, Class<?> returned, Class<?>... parameters)
        throws ReflectiveOperationException {
      MethodHandle method =
          caller.findVirtual(map, name, MethodType.methodType(returned, parameters));
      return method.asType(method.type().changeParameterType(0, Object.class));
    }

    /**
     * The data with the current span's ids; unchanged if no span is current, or another tool has
     * added ids.
     */
    @SuppressWarnings("UnusedMethod") // called by its handle
    @Nullable Object withTrace(@Nullable Object given) {
      try {
        String[] ids = TraceHook.currentTrace();
        if (ids == null || (boolean) containsKey.invokeExact(given, "trace_id")) {
          return given;
        }
        Object data = given;
        boolean shared = (boolean) isFrozen.invokeExact(given);
        if (shared) {
          data = copy.invokeExact(given);
        }
        putValue.invokeExact(data, "trace_id", (Object) ids[0]);
        putValue.invokeExact(data, "span_id", (Object) ids[1]);
        putValue.invokeExact(data, "traceparent", (Object) ids[2]);
        if (shared) {
          freeze.invokeExact(data);
        }
        return data;
      } catch (Throwable t) {
        TraceHook.failed(t);
        return given;
      }
    }
  }
}
