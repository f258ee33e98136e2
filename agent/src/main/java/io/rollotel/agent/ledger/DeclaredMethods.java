package io.rollotel.agent.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The processor's index (docs/index-format.md), from the directories and jars of the class path and
 * of woven classes. Nested jars are searched where Spring Boot and web archives put them.
 */
final class DeclaredMethods {

  private static final String HEADER = "roll-otel-index 1";

  /** A bound that no class path reaches. */
  private static final int MOST_BYTES = 4 << 20;

  private static final List<String> ROOTS = List.of("", "BOOT-INF/classes/", "WEB-INF/classes/");
  private static final List<String> LIBRARIES = List.of("BOOT-INF/lib/", "WEB-INF/lib/");

  private final Set<String> declared = new TreeSet<>();
  private final Set<String> unread = new TreeSet<>();
  private final Set<File> visited = new HashSet<>();
  private final Deque<File> open = new ArrayDeque<>();

  private DeclaredMethods() {}

  /**
   * Reads all there are.
   *
   * @param codeSources URLs of further folders and jars
   * @param deadlineNanos when to stop, in terms of {@link System#nanoTime()}
   */
  static DeclaredMethods read(Collection<String> codeSources, long deadlineNanos) {
    DeclaredMethods declared = new DeclaredMethods();
    for (String path : List.of("java.class.path", "jdk.module.path")) {
      for (String entry : System.getProperty(path, "").split(File.pathSeparator, -1)) {
        if (!entry.isEmpty()) {
          declared.open.add(new File(entry));
        }
      }
    }
    codeSources.forEach(declared::addSource);
    while (!declared.open.isEmpty()) {
      File next = declared.open.remove();
      if (System.nanoTime() - deadlineNanos > 0) {
        declared.unread.add(next + " and what comes after it (no time)");
        break;
      }
      declared.visit(next);
    }
    return declared;
  }

  /** Keys of methods, as {@link Ledger#key} builds them. */
  Set<String> declared() {
    return declared;
  }

  /** The places that could not be read. */
  Set<String> unread() {
    return unread;
  }

  private void addSource(String url) {
    // nested:/app.jar/!BOOT-INF/classes/!/ and jar:file:/app.jar!/BOOT-INF/lib/x.jar!/ are parts of
    // a jar that is read as a whole.
    String plain = url.startsWith("jar:") ? url.substring(4) : url;
    plain = plain.startsWith("nested:") ? "file:" + plain.substring(7) : plain;
    int inside = plain.indexOf('!');
    plain = inside < 0 ? plain : plain.substring(0, inside);
    try {
      File file = new File(URI.create(plain.replaceFirst("(?<=.)/$", "")));
      open.add(file);
    } catch (IllegalArgumentException noFile) {
      unread.add(url);
    }
  }

  private void visit(File file) {
    try {
      if (!visited.add(file.getCanonicalFile())) {
        return;
      }
      if (file.isDirectory()) {
        visitFolder(file);
      } else if (file.isFile()) {
        visitJar(file);
      }
    } catch (IOException | RuntimeException e) {
      unread.add(file + " (" + e + ")");
    }
  }

  private void visitFolder(File folder) throws IOException {
    File[] indexes =
        new File(folder, UnindexedClasses.FOLDER).listFiles((in, name) -> name.endsWith(".idx"));
    for (File index : indexes == null ? new File[0] : indexes) {
      try (InputStream in = new FileInputStream(index)) {
        add(in);
      }
    }
    // An entry of a module path may be a directory of jars.
    if (indexes == null) {
      File[] jars = folder.listFiles((in, name) -> name.endsWith(".jar"));
      boolean ofModules = System.getProperty("jdk.module.path", "").contains(folder.getPath());
      open.addAll(jars == null || !ofModules ? List.of() : List.of(jars));
    }
  }

  private void visitJar(File file) throws IOException {
    try (JarFile jar = new JarFile(file, false)) {
      addClassPathOf(jar.getManifest(), file);
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (isIndex(name)) {
          try (InputStream in = jar.getInputStream(entry)) {
            add(in);
          }
        } else if (name.endsWith(".jar") && LIBRARIES.stream().anyMatch(name::startsWith)) {
          try (JarInputStream in = new JarInputStream(jar.getInputStream(entry), false)) {
            visitNested(in);
          }
        }
      }
    }
  }

  private void visitNested(JarInputStream in) throws IOException {
    for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
      if (isIndex(entry.getName())) {
        add(in);
      }
    }
  }

  private static boolean isIndex(String name) {
    return name.endsWith(".idx")
        && ROOTS.stream().anyMatch(root -> name.startsWith(root + UnindexedClasses.FOLDER));
  }

  /** Further entries on the class path of {@code java -jar}. */
  private void addClassPathOf(@Nullable Manifest manifest, File jar) {
    String path =
        manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
    if (path == null) {
      return;
    }
    for (String entry : path.trim().split("\\s+", -1)) {
      try {
        open.add(new File(jar.getAbsoluteFile().toURI().resolve(entry)));
      } catch (IllegalArgumentException noFile) {
        // The JVM finds no class there either.
      }
    }
  }

  private void add(InputStream in) throws IOException {
    String[] lines = new String(in.readNBytes(MOST_BYTES), UTF_8).split("\n", -1);
    if (!lines[0].equals(HEADER)) {
      return;
    }
    for (int i = 1; i < lines.length; i++) {
      String[] fields = lines[i].split("\t", 4);
      if (fields.length == 4) {
        declared.add(Ledger.key(fields[0], fields[1], fields[2]));
      }
    }
  }
}
