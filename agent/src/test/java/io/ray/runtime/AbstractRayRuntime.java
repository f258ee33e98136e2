package io.ray.runtime;

import io.ray.api.id.ActorId;
import io.ray.api.runtimecontext.RuntimeContext;
import io.ray.runtime.context.WorkerContext;
import java.util.List;

/** Stands for Ray's class in tests. In LOCAL mode there is no node. */
public final class AbstractRayRuntime {

  private final WorkerContext context;
  private final boolean isLocal;

  /** How often somebody asked for the node, which costs a call into native code. */
  public int nodeQuestions;

  public AbstractRayRuntime(WorkerContext context, boolean isLocal) {
    this.context = context;
    this.isLocal = isLocal;
  }

  public WorkerContext getWorkerContext() {
    return context;
  }

  public RuntimeContext getRuntimeContext() {
    return () -> {
      nodeQuestions++;
      if (isLocal) {
        throw new UnsupportedOperationException("LOCAL mode");
      }
      return "node";
    };
  }

  List<String> getCurrentReturnIds(int count, ActorId actor) {
    // The id of the task, to which its actor belongs, and a number.
    return isLocal ? List.of() : List.of("a".repeat(40) + actor + "00000001");
  }
}
