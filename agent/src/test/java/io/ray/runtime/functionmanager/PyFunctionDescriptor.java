package io.ray.runtime.functionmanager;

import java.util.List;

/** Stands for Ray's class in tests. */
public record PyFunctionDescriptor(List<String> toList) implements FunctionDescriptor {}
