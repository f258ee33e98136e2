package io.rollotel.it;

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Runs the situations of classes that a test has compiled: their public static methods without
 * parameters that return boolean or String. Each is called inside a span that names it, and what it
 * returned is printed.
 */
public final class Situations {

  private Situations() {}

  /** Takes a label, the names of classes, and the class path to load them from, three by three. */
  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < arguments.length; i += 3) {
      try (URLClassLoader loader =
          new URLClassLoader(urls(arguments[i + 2]), Situations.class.getClassLoader())) {
        for (String className : arguments[i + 1].split(",", -1)) {
          runAll(arguments[i], loader.loadClass(className));
        }
      }
    }
  }

  private static void runAll(String label, Class<?> type) throws ReflectiveOperationException {
    Method[] methods = type.getMethods();
    Arrays.sort(methods, Comparator.comparing(Method::getName));
    for (Method method : methods) {
      if (Modifier.isStatic(method.getModifiers())
          && method.getParameterCount() == 0
          && (method.getReturnType() == boolean.class || method.getReturnType() == String.class)) {
        String name = label + " " + type.getSimpleName() + "." + method.getName();
        System.out.println(name + " " + situation(Payload.traced(), name, method));
      }
    }
  }

  @Register(trace = true)
  private static Object situation(
      Payload payload, @SpanAttribute("situation") String name, Method method)
      throws ReflectiveOperationException {
    return method.invoke(null);
  }

  private static URL[] urls(String classPath) throws MalformedURLException {
    String[] entries = classPath.split(File.pathSeparator, -1);
    URL[] urls = new URL[entries.length];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = new File(entries[i]).toURI().toURL();
    }
    return urls;
  }
}
