package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What is called, by its names. */
final class RayFunction {

  /** More than a program has of them; those that come later are read anew each time. */
  private static final int MOST_KNOWN = 1_000;

  private static final Map<List<String>, RayFunction> KNOWN = new ConcurrentHashMap<>();

  final String className;
  final String method;

  /** With its class and that one's package. */
  final String qualified;

  /** The class's name without its package. */
  final String simpleClass;

  /** As Ray names its spans in Python: the sender's. */
  final String sent;

  /** The executor's. */
  final String received;

  final boolean isConstructor;

  /** A task of the agent's own, of which nothing is seen in the traces. */
  final boolean isAgents;

  private RayFunction(String className, String method, boolean isConstructor) {
    this.className = className;
    this.method = method;
    this.isConstructor = isConstructor;
    qualified = className + '.' + method;
    simpleClass = className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
    sent = simpleClass + '.' + method + " ray.remote";
    received = sent + "_worker";
    isAgents = className.equals(RayHook.class.getName());
  }

  /**
   * Reads Ray's descriptor.
   *
   * @param names class, method and signature; of Python module, class, function and another
   */
  static RayFunction of(List<String> names, boolean isJava) {
    RayFunction known = KNOWN.get(names);
    if (known == null) {
      known = read(names, isJava);
      if (KNOWN.size() < MOST_KNOWN) {
        KNOWN.put(List.copyOf(names), known);
      }
    }
    return known;
  }

  private static RayFunction read(List<String> names, boolean isJava) {
    if (isJava || names.size() < 4) {
      return new RayFunction(names.get(0), names.get(1), names.get(1).equals("<init>"));
    }
    String type = names.get(1).isEmpty() ? names.get(0) : names.get(0) + '.' + names.get(1);
    return new RayFunction(type, names.get(2), names.get(2).equals("__init__"));
  }
}
