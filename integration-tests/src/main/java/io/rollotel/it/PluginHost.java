package io.rollotel.it;

import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@link Plugin} in class loaders that look in their own jars first. */
public final class PluginHost {

  /** How long a loader that nobody uses may stay. */
  private static final long PATIENCE_MILLIS = 120_000;

  private PluginHost() {}

  /**
   * Takes {@code childFirst} or {@code isolated}, which is a loader that does not see the class
   * path, and a class path for each loader. Says whether the loaders are collected once they are
   * dropped, if {@code dropped} comes first.
   */
  public static void main(String[] arguments) throws Exception {
    boolean dropped = arguments[0].equals("dropped");
    int first = dropped ? 1 : 0;
    ClassLoader parent =
        arguments[first].equals("isolated")
            ? ClassLoader.getPlatformClassLoader()
            : PluginHost.class.getClassLoader();
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    for (int i = first + 1; i < arguments.length; i++) {
      loaders.add(run("plugin" + (i - first), arguments[i], parent));
    }
    if (dropped) {
      for (WeakReference<ClassLoader> loader : loaders) {
        System.out.println(isCollected(loader) ? "collected" : "still there");
      }
    }
    System.out.println("done");
  }

  private static WeakReference<ClassLoader> run(String name, String classPath, ClassLoader parent)
      throws Exception {
    ChildFirst loader = new ChildFirst(classPath, parent);
    try {
      Class.forName("io.rollotel.it.Plugin", true, loader)
          .getMethod("run", String.class)
          .invoke(null, name);
    } finally {
      loader.close();
    }
    return new WeakReference<>(loader);
  }

  private static boolean isCollected(WeakReference<?> reference) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    while (reference.get() != null && System.nanoTime() < deadline) {
      System.gc();
      Thread.sleep(50);
    }
    return reference.get() == null;
  }

  /**
   * Asks its parent only for what it does not have itself, as servlet containers and plugin hosts
   * do.
   */
  private static final class ChildFirst extends URLClassLoader {

    ChildFirst(String classPath, ClassLoader parent) throws IOException {
      super(urls(classPath), parent);
    }

    private static URL[] urls(String classPath) throws IOException {
      List<URL> urls = new ArrayList<>();
      for (String entry : classPath.split(File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      return urls.toArray(new URL[0]);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded == null && !name.startsWith("java.")) {
          try {
            loaded = findClass(name);
          } catch (ClassNotFoundException parents) {
            // asked below
          }
        }
        return loaded != null ? loaded : super.loadClass(name, resolve);
      }
    }
  }
}
