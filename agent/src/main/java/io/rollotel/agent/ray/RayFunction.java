package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The names of the called function. */
final class RayFunction {

  /** More than any program has; further ones are parsed each time. */
  private static final int MOST_KNOWN = 1_000;

  private static final Map<List<String>, RayFunction> KNOWN = new ConcurrentHashMap<>();

  private static final String CONSTRUCTOR = "<init>";

  final String className;
  final String method;

  /**
   * The executed function, with its class and package; the factory for an actor that a factory
   * creates.
   */
  final String qualified;

  /** The class's name without its package. */
  final String simpleClass;

  /** The sender's span name, as in Ray for Python. */
  final String sent;

  /** The executor's. */
  final String received;

  /** Null if there is no better name. */
  private final @Nullable RayFunction creation;

  /** A task of the agent's own, which does not appear in traces. */
  final boolean isAgents;

  private RayFunction(
      String className, String method, String qualified, @Nullable RayFunction creation) {
    this.className = className;
    this.method = method;
    this.qualified = qualified;
    this.creation = creation;
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

  /**
   * The same for the creation of an actor. For a factory, it is the constructor of its declared
   * return type: the signature tells both ends, so both use the same name.
   */
  RayFunction creation() {
    return creation == null ? this : creation;
  }

  private static RayFunction read(List<String> names, boolean isJava) {
    if (isJava || names.size() < 4) {
      String function = names.get(0) + '.' + names.get(1);
      String made = names.get(1).equals(CONSTRUCTOR) ? "" : made(names);
      return new RayFunction(
          names.get(0),
          names.get(1),
          function,
          made.isEmpty() ? null : new RayFunction(made, CONSTRUCTOR, function, null));
    }
    String type = names.get(1).isEmpty() ? names.get(0) : names.get(0) + '.' + names.get(1);
    return new RayFunction(type, names.get(2), type + '.' + names.get(2), null);
  }

  /** The class that a signature returns; empty if there is none, or it is a general one. */
  private static String made(List<String> names) {
    String signature = names.size() < 3 ? "" : names.get(2);
    int returned = signature.lastIndexOf(")L");
    return returned < 0 || !signature.endsWith(";") || signature.endsWith(")Ljava/lang/Object;")
        ? ""
        : signature.substring(returned + 2, signature.length() - 1).replace('/', '.');
  }
}
