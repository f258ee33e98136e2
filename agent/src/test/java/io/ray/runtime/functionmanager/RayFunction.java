package io.ray.runtime.functionmanager;

/** Stands for Ray's class in tests: the agent reads its field. */
public record RayFunction(ClassLoader classLoader) {}
