package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * The classes of the agent's jar, those within its packages included. {@code start.zip} holds some
 * of them again.
 */
public final class JarClasses {

  private static final String START = "inner/start.zip";

  private JarClasses() {}

  /** Their bytes by name, with slashes, without {@code inner/} and {@code .class}. */
  public static Map<String, byte[]> read() throws IOException {
    Map<String, byte[]> classes = new TreeMap<>();
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        try (InputStream in = jar.getInputStream(entry)) {
          if (name.endsWith(".class")) {
            classes.put(withoutEnding(name), in.readAllBytes());
          } else if (name.endsWith(".zip") && !name.equals(START)) {
            readPackage(
                name.substring("inner/".length(), name.length() - ".zip".length()) + "/",
                in,
                classes);
          }
        }
      }
    }
    return classes;
  }

  /** The names of the classes that are stored for the start of tracing. */
  public static Set<String> ofStart() throws IOException {
    Map<String, byte[]> classes = new TreeMap<>();
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile());
        InputStream in = jar.getInputStream(jar.getEntry(START))) {
      readPackage("", in, classes);
    }
    return classes.keySet();
  }

  private static void readPackage(String folder, InputStream in, Map<String, byte[]> classes)
      throws IOException {
    ZipInputStream zip = new ZipInputStream(in);
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      classes.put(folder + withoutEnding(entry.getName()), zip.readAllBytes());
    }
  }

  /**
   * The owners of some classes: for each class the longest prefix that its name begins with. Fails
   * if a class has none.
   */
  public static Set<String> owners(Collection<String> classes, Collection<String> prefixes) {
    Set<String> owners = new TreeSet<>();
    for (String name : classes) {
      Optional<String> longest =
          prefixes.stream().filter(name::startsWith).max(Comparator.comparingInt(String::length));
      assertThat(longest).as("a library for %s", name).isPresent();
      owners.add(longest.orElseThrow());
    }
    return owners;
  }

  private static String withoutEnding(String name) {
    return name.substring(0, name.length() - ".class".length());
  }
}
