package io.ray.runtime.object;

/** Stands for Ray's class in tests: what a call will return. */
public record ObjectRefImpl(String getId) {}
