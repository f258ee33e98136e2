package io.rollotel.agent.api;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/**
 * The shape of a startup hook: a static method without parameters, or with the SDK's customizer.
 */
public final class StartupHookMethod {

  private static final String CUSTOMIZER =
      "io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer";

  private StartupHookMethod() {}

  /**
   * The hook among a class's methods, the one without parameters first. Throws an
   * IllegalArgumentException whose message says why there is none.
   */
  public static Method find(Class<?> type, String name) {
    Method found = null;
    boolean named = false;
    for (Method method : type.getDeclaredMethods()) {
      if (!method.getName().equals(name)) {
        continue;
      }
      named = true;
      Class<?>[] parameters = method.getParameterTypes();
      boolean isPlain = parameters.length == 0;
      if (isPlain || (parameters.length == 1 && parameters[0].getName().equals(CUSTOMIZER))) {
        if (!Modifier.isStatic(method.getModifiers())) {
          throw new IllegalArgumentException("the method is not static");
        }
        found = isPlain || found == null ? method : found;
      }
    }
    if (found == null) {
      throw new IllegalArgumentException(
          named
              ? "the method must take no argument, or an AutoConfigurationCustomizer"
              : "the class has no such method");
    }
    found.setAccessible(true);
    return found;
  }
}
