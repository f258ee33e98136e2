package io.rollotel.agent.weave;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.MethodList;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/**
 * An application's class loader: has some classes of its own and passes them through a transformer
 * as they are loaded. The JVM verifies them, since neither the boot loader nor the JDK has them.
 */
public final class FixtureLoader extends ClassLoader {

  private final Map<String, byte[]> classes;
  private final BiFunction<ClassLoader, byte[], byte[]> transformer;

  /** The names of the classes that the transformer changed. */
  final Set<String> transformed = new TreeSet<>();

  public FixtureLoader(
      ClassLoader parent,
      Map<String, byte[]> classes,
      BiFunction<ClassLoader, byte[], byte[]> transformer) {
    super(parent);
    this.classes = classes;
    this.transformer = transformer;
  }

  static FixtureLoader weaving(Map<String, byte[]> classes) {
    return new FixtureLoader(
        FixtureLoader.class.getClassLoader(),
        classes,
        new Weaver(MethodList.none(), new Ledger())::weave);
  }

  static FixtureLoader plain(Map<String, byte[]> classes) {
    return new FixtureLoader(
        FixtureLoader.class.getClassLoader(), classes, (loader, bytes) -> null);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        return super.loadClass(name, resolve);
      }
      byte[] woven = transformer.apply(this, bytes);
      if (woven != null) {
        transformed.add(name);
        bytes = woven;
      }
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    byte[] bytes =
        name.endsWith(".class")
            ? classes.get(name.substring(0, name.length() - 6).replace('/', '.'))
            : null;
    return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
  }
}
