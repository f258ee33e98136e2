package io.rollotel.agent.link;

import io.opentelemetry.context.Context;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.span.PhaseMethod;
import io.rollotel.agent.span.WorkerMethod;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.agent.weave.WovenMethod.Argument;
import io.rollotel.agent.weave.WovenMethod.Use;
import io.rollotel.telemetry.internal.Propagation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Links the invokedynamic instruction of one woven method: a chain of method handles picks the
 * carriers from its arguments and reads them. The JIT compiler sees constants only; the usual
 * method, with one carrier, allocates nothing for it.
 */
public final class CallSiteLinker {

  private static final MethodHandle START;
  private static final MethodHandle START_WITHOUT_CARRIER;
  private static final MethodHandle START_WITH_MANY;
  private static final MethodHandle START_PHASE;
  private static final MethodHandle FLATTEN;
  private static final MethodHandle INJECT;
  private static final MethodHandle INJECT_ALL;

  static {
    MethodHandles.Lookup here = MethodHandles.lookup();
    try {
      START =
          here.findVirtual(
              WorkerMethod.class, "start", MethodType.methodType(Object.class, Map.class));
      START_WITHOUT_CARRIER =
          here.findVirtual(
              WorkerMethod.class, "startWithoutCarrier", MethodType.methodType(Object.class));
      START_WITH_MANY =
          here.findVirtual(
              WorkerMethod.class,
              "startWithMany",
              MethodType.methodType(Object.class, Map[].class));
      START_PHASE =
          here.findVirtual(PhaseMethod.class, "start", MethodType.methodType(Object.class));
      FLATTEN =
          here.findStatic(
              CallSiteLinker.class, "flatten", MethodType.methodType(Map[].class, Object[].class));
      INJECT =
          here.findStatic(
              CallSiteLinker.class, "inject", MethodType.methodType(void.class, Map.class));
      INJECT_ALL =
          here.findStatic(
              CallSiteLinker.class, "injectAll", MethodType.methodType(void.class, Map[].class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MethodHandles.Lookup caller;
  private final MethodType type;
  private final WovenMethod method;

  public CallSiteLinker(MethodHandles.Lookup caller, MethodType type, WovenMethod method) {
    this.caller = caller;
    this.type = type;
    this.method = method;
  }

  /** From the instruction's arguments to a started call, or null. */
  public MethodHandle start(WorkerMethod worker) {
    MethodHandle start = startWithContext(worker);
    for (int i = 0; i < method.arguments().size(); i++) {
      Argument argument = method.arguments().get(i);
      if (argument.use() == Use.ATTRIBUTE) {
        // (call, arguments) -> call, with the attribute set.
        MethodHandle set = CapturedAttribute.setter(argument, type.parameterType(i), worker);
        start = MethodHandles.foldArguments(onArgument(set, 1, i), start);
      }
    }
    return start;
  }

  /** From no arguments to a started phase, or null. */
  public MethodHandle start(PhaseMethod phase) {
    return MethodHandles.dropArguments(START_PHASE.bindTo(phase), 0, type.parameterList());
  }

  private MethodHandle startWithContext(WorkerMethod worker) {
    List<Carrier> carriers = carriers(Carrier.MOST_LINKS);
    if (carriers.isEmpty()) {
      return MethodHandles.dropArguments(
          START_WITHOUT_CARRIER.bindTo(worker), 0, type.parameterList());
    }
    if (carriers.size() == 1 && !carriers.get(0).many()) {
      return read(carriers.get(0), START.bindTo(worker));
    }
    MethodHandle all =
        MethodHandles.filterReturnValue(FLATTEN, START_WITH_MANY.bindTo(worker))
            .asCollector(Object[].class, carriers.size());
    int[] indexes = new int[carriers.size()];
    for (int i = 0; i < indexes.length; i++) {
      MethodHandle reader = carriers.get(i).reader();
      all =
          MethodHandles.filterArguments(
              all, i, reader.asType(MethodType.methodType(Object.class, Object.class)));
      indexes[i] = carriers.get(i).index();
    }
    return MethodHandles.permuteArguments(all, type.changeReturnType(Object.class), indexes);
  }

  /** From the instruction's arguments to nothing: the context is in every carrier. */
  public MethodHandle dispatch() {
    MethodHandle all = MethodHandles.empty(type);
    for (Carrier carrier : carriers(Integer.MAX_VALUE)) {
      if (carrier.isGetter()) {
        all = MethodHandles.foldArguments(all, onArgument(written(carrier), 0, carrier.index()));
      }
      all = MethodHandles.foldArguments(all, read(carrier, carrier.many() ? INJECT_ALL : INJECT));
    }
    return all;
  }

  private MethodHandle written(Carrier carrier) {
    String payload = method.arguments().get(carrier.index()).type();
    String sender = method.className() + '.' + method.name();
    return new WrittenCheck(carrier.reader(), payload, sender).handle();
  }

  /** A consumer of a carrier's contents, for one of the instruction's arguments. */
  private MethodHandle read(Carrier carrier, MethodHandle consumer) {
    return onArgument(
        MethodHandles.filterArguments(consumer, 0, carrier.reader()), 0, carrier.index());
  }

  /**
   * Adapts a handle that takes one argument behind {@code before} others so that it takes all of
   * the instruction's arguments instead.
   */
  private MethodHandle onArgument(MethodHandle handle, int before, int index) {
    MethodHandle behind =
        MethodHandles.dropArguments(
            handle, before + 1, type.parameterList().subList(index + 1, type.parameterCount()));
    return MethodHandles.dropArguments(behind, before, type.parameterList().subList(0, index));
  }

  /**
   * For methods with several carriers, or with lists of them: the contents of each, in their order.
   */
  static @Nullable Map<?, ?>[] flatten(@Nullable Object[] held) {
    List<@Nullable Map<?, ?>> all = new ArrayList<>();
    for (Object one : held) {
      if (one instanceof Map<?, ?>[] many) {
        all.addAll(Arrays.asList(many));
      } else {
        all.add((Map<?, ?>) one);
      }
    }
    return all.toArray(new Map<?, ?>[0]);
  }

  /** For {@link #dispatch}. Never throws. */
  static void inject(@Nullable Map<String, Object> metaInfo) {
    if (metaInfo != null) {
      try {
        Propagation.put(metaInfo, Context.current());
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** For {@link #dispatch}. Never throws. */
  @SuppressWarnings("unchecked") // by the contract of meta_info
  static void injectAll(@Nullable Map<?, ?>[] metaInfos) {
    for (Map<?, ?> metaInfo : metaInfos) {
      inject((Map<String, Object>) metaInfo);
    }
  }

  /** Those arguments that carry meta_info, in their order. */
  private List<Carrier> carriers(int mostElements) {
    List<Carrier> carriers = new ArrayList<>();
    for (int i = 0; i < method.arguments().size(); i++) {
      Carrier carrier = Carrier.of(i, method.arguments().get(i), mostElements, caller);
      if (carrier != null) {
        carriers.add(carrier);
      }
    }
    return carriers;
  }
}
