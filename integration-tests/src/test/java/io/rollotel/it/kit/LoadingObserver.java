package io.rollotel.it.kit;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Set;

/**
 * A second agent: loads each of our classes while the JVM defines it. So do agents that look at the
 * types of a class and find no class file for them, such as Datadog's.
 */
public final class LoadingObserver implements ClassFileTransformer {

  private final ThreadLocal<Set<String>> loading = ThreadLocal.withInitial(HashSet::new);

  private LoadingObserver() {}

  public static void premain(String arguments, Instrumentation instrumentation) {
    instrumentation.addTransformer(new LoadingObserver(), true);
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    boolean ours =
        loader != null && loader.getName() != null && loader.getName().startsWith("roll-otel");
    if (ours && name != null && redefined == null && loading.get().add(name)) {
      try {
        Class.forName(name.replace('/', '.'), false, loader);
      } catch (ClassNotFoundException e) {
        System.out.println(e);
      } finally {
        loading.get().remove(name);
      }
    }
    return null;
  }

  public static Path jar(Path directory) throws IOException {
    return ClassBytesObserver.jar(directory, LoadingObserver.class);
  }
}
