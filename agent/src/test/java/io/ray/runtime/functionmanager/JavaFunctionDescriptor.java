package io.ray.runtime.functionmanager;

import java.util.List;

/** Stands for Ray's class in tests. */
public record JavaFunctionDescriptor(List<String> toList) implements FunctionDescriptor {}
