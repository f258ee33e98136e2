package io.ray.runtime.context;

/** Stands for Ray's class in tests: what the executor of a task knows of it. */
public record WorkerContext(
    String getCurrentTaskId,
    String getCurrentJobId,
    String getCurrentActorId,
    String getCurrentWorkerId,
    String getCurrentTaskType) {}
