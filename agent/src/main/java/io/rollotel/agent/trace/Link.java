package io.rollotel.agent.trace;

import io.opentelemetry.context.Context;
import io.rollotel.agent.WovenMethod;
import io.rollotel.agent.WovenMethod.Argument;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.TraceContext;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Links the invokedynamic instruction of one woven method: out of the arguments that it passes on,
 * a chain of method handles picks the carriers and reads them. The JIT compiler sees constants
 * only.
 */
final class Link {

  private static final MethodHandles.Lookup HERE = MethodHandles.lookup();
  private static final MethodHandle START;
  private static final MethodHandle START_WITHOUT_CARRIER;
  private static final MethodHandle INJECT;

  static {
    try {
      MethodType one = MethodType.methodType(Object.class, Map.class);
      START = HERE.findVirtual(WorkerMethod.class, "start", one);
      START_WITHOUT_CARRIER =
          HERE.findVirtual(
              WorkerMethod.class, "startWithoutCarrier", MethodType.methodType(Object.class));
      INJECT = HERE.findStatic(Link.class, "inject", MethodType.methodType(void.class, Map.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MethodHandles.Lookup caller;
  private final MethodType type;
  private final WovenMethod method;

  Link(MethodHandles.Lookup caller, MethodType type, WovenMethod method) {
    this.caller = caller;
    this.type = type;
    this.method = method;
  }

  /** From the instruction's arguments to a started call. */
  MethodHandle start(WorkerMethod worker) {
    List<Carrier> carriers = carriers();
    if (carriers.isEmpty()) {
      return MethodHandles.dropArguments(
          START_WITHOUT_CARRIER.bindTo(worker), 0, type.parameterList());
    }
    return carriers.get(0).readInto(START.bindTo(worker), type);
  }

  /** From the instruction's arguments to nothing: the context is in every carrier. */
  MethodHandle dispatch() {
    MethodHandle all = MethodHandles.empty(type);
    for (Carrier carrier : carriers()) {
      MethodHandle inject = carrier.readInto(INJECT, type);
      all = MethodHandles.foldArguments(all, inject);
    }
    return all;
  }

  /** For {@link #dispatch}. Never throws. */
  static void inject(@Nullable Map<String, Object> metaInfo) {
    if (metaInfo != null) {
      try {
        TraceContext.put(metaInfo, Context.current());
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** Those arguments that carry meta_info, in their order. */
  private List<Carrier> carriers() {
    List<Carrier> carriers = new ArrayList<>();
    for (int i = 0; i < method.arguments().size(); i++) {
      Argument argument = method.arguments().get(i);
      MethodHandle reader =
          switch (argument.use()) {
            case META_INFO -> Carrier.ofMap();
            case CANDIDATE -> Carrier.of(argument.type(), caller);
            case ATTRIBUTE -> null;
          };
      if (reader != null) {
        carriers.add(new Carrier(i, reader));
      }
    }
    return carriers;
  }
}
