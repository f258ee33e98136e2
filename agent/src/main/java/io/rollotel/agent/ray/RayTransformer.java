package io.rollotel.agent.ray;

import io.rollotel.agent.api.ApiCopies;
import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.MethodPlace;
import io.rollotel.agent.weave.Weaver;
import java.lang.ref.WeakReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Weaves Ray's runtime for Java when it is loaded; the weaver is loaded with Ray's first class. */
public final class RayTransformer {

  private final ApiCopies copies;

  // Guarded by this.
  private @Nullable WeakReference<ClassLoader> first;

  public RayTransformer(ApiCopies copies) {
    this.copies = copies;
  }

  /** A class of Ray's runtime: its new bytes, or null if it does not change. */
  public synchronized byte @Nullable [] weave(ClassLoader loader, String name, byte[] bytes) {
    List<MethodPlace> places = RayWeaver.places(name.replace('/', '.'));
    return places.isEmpty() || !isFirst(loader) ? null : RayWeaver.weave(bytes, places);
  }

  /** Takes the agent away from Ray's hook, if it is behind it. */
  public synchronized void close() {
    if (first != null) {
      RayHook.connect(null);
    }
  }

  /** Puts the agent behind the hook for the first loader that has Ray; a process has one. */
  private boolean isFirst(ClassLoader loader) {
    if (first != null) {
      return first.refersTo(loader);
    }
    if (!Weaver.seesHook(loader)) {
      AgentLog.warnOnce("Ray's calls stay untraced: its class loader does not see the agent");
      return false;
    }
    RayCalls.connect(copies.settings(), loader, copies::tracingSeenBy);
    first = new WeakReference<>(loader);
    return true;
  }
}
