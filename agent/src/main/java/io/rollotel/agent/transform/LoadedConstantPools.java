package io.rollotel.agent.transform;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds out from the JVM itself whether a loaded class has one of some texts in its constant pool.
 * No class is resolved, linked or loaded for it, no loader is called, and no file is read.
 *
 * <p>This is internal to the JDK, which uses it for reflection on annotations. The agent opens it
 * for this loader's classes only, and the opening ends with them.
 */
public final class LoadedConstantPools implements Predicate<Class<?>> {

  private final List<String> wanted;
  private final MethodHandle poolOf;
  private final MethodHandle size;
  private final MethodHandle tagAt;
  private final MethodHandle textAt;
  private final Object textTag;

  /** Throws if this JDK has it in another form. */
  public LoadedConstantPools(Instrumentation instrumentation, List<String> wanted)
      throws ReflectiveOperationException {
    this.wanted = wanted;
    Set<Module> here = Set.of(LoadedConstantPools.class.getModule());
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of("jdk.internal.access", here, "jdk.internal.reflect", here),
        Map.of(),
        Set.of(),
        Map.of());
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    Class<?> access = Class.forName("jdk.internal.access.JavaLangAccess");
    Class<?> pool = Class.forName("jdk.internal.reflect.ConstantPool");
    Class<?> tag = Class.forName("jdk.internal.reflect.ConstantPool$Tag");
    Object javaLang =
        Class.forName("jdk.internal.access.SharedSecrets")
            .getMethod("getJavaLangAccess")
            .invoke(null);
    poolOf = handle(lookup, access, "getConstantPool", pool, Class.class).bindTo(javaLang);
    size = handle(lookup, pool, "getSize", int.class);
    tagAt = handle(lookup, pool, "getTagAt", tag, int.class);
    textAt = handle(lookup, pool, "getUTF8At", String.class, int.class);
    textTag = tag.getField("UTF8").get(null);
  }

  private static MethodHandle handle(
      MethodHandles.Lookup lookup,
      Class<?> owner,
      String name,
      Class<?> result,
      Class<?>... parameters)
      throws ReflectiveOperationException {
    return lookup.findVirtual(owner, name, MethodType.methodType(result, parameters));
  }

  /** False for a class without a constant pool, such as an array's. */
  @Override
  public boolean test(Class<?> loaded) {
    try {
      Object pool = poolOf.invoke(loaded);
      int count = pool == null ? 0 : (int) size.invoke(pool);
      for (int i = 1; i < count; i++) {
        if (isText(pool, i) && wanted.contains((String) textAt.invoke(pool, i))) {
          return true;
        }
      }
      return false;
    } catch (Throwable t) {
      return false;
    }
  }

  /** A long or double takes two entries; some JDKs throw when asked for the second. */
  private boolean isText(Object pool, int index) throws Throwable {
    try {
      return (Object) tagAt.invoke(pool, index) == textTag;
    } catch (IllegalArgumentException secondPlace) {
      return false;
    }
  }
}
