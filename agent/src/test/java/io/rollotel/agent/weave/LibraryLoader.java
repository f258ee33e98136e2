package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Loads the classes of a library, woven, so that the JVM verifies whatever bodies there are. */
public final class LibraryLoader extends ClassLoader {

  /**
   * The outcome.
   *
   * @param count how many classes the verifier took
   * @param refused what it said of the others
   */
  public record Verified(int count, List<String> refused) {}

  private final UnaryOperator<byte[]> weaver;
  private final Set<String> names;

  private LibraryLoader(UnaryOperator<byte[]> weaver, Set<String> names) {
    super(LibraryLoader.class.getClassLoader());
    this.weaver = weaver;
    this.names = names;
  }

  /**
   * Loads and links.
   *
   * @param ofLibrary a class of the library
   * @param folder what the paths of the library's classes start with
   * @param more classes of the tests
   */
  public static Verified verify(
      UnaryOperator<byte[]> weaver, Class<?> ofLibrary, String folder, Class<?>... more)
      throws Exception {
    Set<String> names = new TreeSet<>();
    for (Class<?> type : more) {
      names.add(type.getName());
    }
    String jar = ofLibrary.getProtectionDomain().getCodeSource().getLocation().getPath();
    try (JarFile library = new JarFile(jar)) {
      library.stream()
          .map(JarEntry::getName)
          .filter(name -> name.startsWith(folder) && name.endsWith(".class"))
          .forEach(name -> names.add(name.substring(0, name.length() - 6).replace('/', '.')));
    }
    LibraryLoader loader = new LibraryLoader(weaver, names);
    List<String> refused = new ArrayList<>();
    int count = 0;
    for (String name : names) {
      try {
        Class<?> type = loader.loadClass(name);
        assertThat(type.getClassLoader()).isSameAs(loader);
        type.getDeclaredMethods(); // links it, which verifies it
        count++;
      } catch (NoClassDefFoundError optional) {
        // what the library uses if it is there
      } catch (VerifyError | ClassFormatError e) {
        refused.add(name + ": " + e.getMessage());
      }
    }
    return new Verified(count, refused);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      if (!names.contains(name)) {
        return super.loadClass(name, resolve);
      }
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] woven = weaver.apply(in.readAllBytes());
        return defineClass(name, woven, 0, woven.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
