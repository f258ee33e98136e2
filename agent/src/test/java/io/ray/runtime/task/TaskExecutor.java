package io.ray.runtime.task;

import io.ray.runtime.AbstractRayRuntime;
import io.ray.runtime.functionmanager.RayFunction;

/** Stands for Ray's class in tests: the agent reads its fields. */
@SuppressWarnings("unused")
public final class TaskExecutor {

  private final AbstractRayRuntime runtime;
  private final ThreadLocal<RayFunction> localRayFunction = new ThreadLocal<>();

  public TaskExecutor(AbstractRayRuntime runtime) {
    this.runtime = runtime;
  }
}
