package io.rollotel.agent.ray;

import java.util.List;

/** What is called, by its names. */
record RayFunction(String className, String method, boolean isConstructor) {

  /**
   * Reads Ray's descriptor.
   *
   * @param names class, method and signature; of Python module, class, function and another
   */
  static RayFunction of(List<String> names, boolean isJava) {
    if (isJava || names.size() < 4) {
      return new RayFunction(names.get(0), names.get(1), names.get(1).equals("<init>"));
    }
    String type = names.get(1).isEmpty() ? names.get(0) : names.get(0) + '.' + names.get(1);
    return new RayFunction(type, names.get(2), names.get(2).equals("__init__"));
  }

  /** With its class and that one's package. */
  String qualified() {
    return className + '.' + method;
  }

  /** The class's name without its package. */
  String simpleClass() {
    return className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
  }

  /** As Ray names its spans in Python. */
  String spanName(String action) {
    return simpleClass() + '.' + method + ' ' + action;
  }
}
