package io.ray.api.runtimecontext;

/** Stands for Ray's class in tests. */
public interface RuntimeContext {

  String getCurrentNodeId();
}
