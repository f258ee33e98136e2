package io.rollotel.agent;

import io.rollotel.agent.hook.RayHook;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Ray's runtime for Java, woven where it is met; what weaves it is made with its first class. */
final class RayClasses {

  private final Settings settings;
  private final InnerLoader inner;
  private final ApiCopies copies;

  // Guarded by this.
  private @Nullable BiFunction<ClassLoader, byte[], byte[]> weaver;
  private Set<?> woven = Set.of();
  private @Nullable WeakReference<ClassLoader> first;

  RayClasses(Settings settings, InnerLoader inner, ApiCopies copies) {
    this.settings = settings;
    this.inner = inner;
    this.copies = copies;
  }

  /** A class of Ray's runtime: its new bytes, or null where it stays as it is. */
  synchronized byte @Nullable [] weave(ClassLoader loader, String name, byte[] bytes)
      throws ReflectiveOperationException {
    BiFunction<ClassLoader, byte[], byte[]> known = weaver();
    if (!woven.contains(name.replace('/', '.')) || !isFirst(loader)) {
      return null;
    }
    return known.apply(loader, bytes);
  }

  /** Takes the agent away from Ray's hook, if it is behind it. */
  synchronized void close() {
    if (weaver != null) {
      RayHook.connect(null);
    }
  }

  @SuppressWarnings("unchecked") // the weaver implements just this
  private BiFunction<ClassLoader, byte[], byte[]> weaver() throws ReflectiveOperationException {
    BiFunction<ClassLoader, byte[], byte[]> known = weaver;
    if (known == null) {
      Class<?> type = Class.forName("io.rollotel.agent.weave.RayWeaver", true, inner);
      woven = (Set<?>) type.getMethod("classes").invoke(null);
      known = (BiFunction<ClassLoader, byte[], byte[]>) type.getConstructor().newInstance();
      weaver = known;
    }
    return known;
  }

  /** Puts the agent behind the hook for the first loader that has Ray; a process has one. */
  private boolean isFirst(ClassLoader loader) throws ReflectiveOperationException {
    if (first != null) {
      return first.refersTo(loader);
    }
    try {
      if (Class.forName(RayHook.class.getName(), false, loader) != RayHook.class) {
        return false;
      }
    } catch (ClassNotFoundException | LinkageError hidden) {
      AgentLog.warnOnce("Ray's calls stay untraced: its class loader does not see the agent");
      return false;
    }
    Function<ClassLoader, @Nullable Tracing> tracings = copies::tracingSeenBy;
    Predicate<Map<String, String>> configure = copies::configure;
    RayHook.connect(
        Class.forName("io.rollotel.agent.ray.RayCalls", true, inner)
            .asSubclass(RayHook.Target.class)
            .getConstructor(Settings.class, ClassLoader.class, Function.class, Predicate.class)
            .newInstance(settings, loader, tracings, configure));
    first = new WeakReference<>(loader);
    return true;
  }
}
