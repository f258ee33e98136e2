package io.ray.runtime.functionmanager;

import java.util.List;

/** Stands for Ray's class in tests. */
public interface FunctionDescriptor {

  List<String> toList();
}
