package io.rollotel.agent.loader;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the classes below {@code inner/} in the agent's jar. A package is one entry of the
 * jar: a zip in which nothing is compressed. So the jar has some hundreds of entries instead of
 * thousands. Every JVM that starts with the agent reads all entries, traced or not. The jar is also
 * smaller, because content that the classes of a package share is stored once.
 *
 * <p>The classes that tracing loads when it starts are in the jar a second time, in one entry that
 * is not compressed: inflating their whole packages would take an eighth of the first traced call,
 * and twice the memory. Threads may share it.
 */
final class InnerClasses {

  /** The location of a class in its package's bytes. */
  static final class Place {

    final byte[] bytes;
    final int offset;
    final int length;

    Place(byte[] bytes, int offset, int length) {
      this.bytes = bytes;
      this.offset = offset;
      this.length = length;
    }
  }

  static final String FOLDER = "inner/";

  /** No package: the classes of {@code start-classes.txt}, by their paths. */
  private static final String START = "start";

  private static final int HEADER = 0x04034b50;
  private static final int LENGTH_AT = 22;
  private static final int NAME_LENGTH_AT = 26;
  private static final int EXTRA_LENGTH_AT = 28;
  private static final int NAME_AT = 30;

  private final JarFile jar;

  /**
   * By folder. Held until the next garbage collection: most classes of a package are loaded at
   * once, and holding the bytes longer would cost the application memory.
   */
  private final Map<String, WeakReference<Map<String, Place>>> packages = new HashMap<>();

  /** Read once: a class that is loaded after a collection comes from its package. */
  private final WeakReference<Map<String, Place>> start;

  private InnerClasses(JarFile jar, Map<String, Place> start) {
    this.jar = jar;
    this.start = new WeakReference<>(start);
  }

  /** For a process that is traced. */
  static InnerClasses ofAgent(JarFile jar) throws IOException {
    return new InnerClasses(jar, read(jar, START));
  }

  /** For a command, which loads few of the classes that start tracing. */
  static InnerClasses ofCommand(JarFile jar) {
    return new InnerClasses(jar, Map.of());
  }

  /**
   * The location of a class file; null if there is none.
   *
   * @param path with slashes and {@code .class}
   */
  @Nullable Place find(String path) throws IOException {
    Map<String, Place> early = start.get();
    Place place = early == null ? null : early.get(path);
    if (place != null) {
      return place;
    }
    int slash = path.lastIndexOf('/');
    return slash < 0 ? null : folder(path.substring(0, slash)).get(path.substring(slash + 1));
  }

  private synchronized Map<String, Place> folder(String name) throws IOException {
    WeakReference<Map<String, Place>> known = packages.get(name);
    Map<String, Place> places = known == null ? null : known.get();
    if (places == null) {
      places = read(jar, name);
      packages.put(name, new WeakReference<>(places));
    }
    return places;
  }

  private static Map<String, Place> read(JarFile jar, String folder) throws IOException {
    ZipEntry entry = jar.getEntry(FOLDER + folder + ".zip");
    if (entry == null) {
      return Map.of();
    }
    byte[] bytes = new byte[Math.toIntExact(entry.getSize())];
    try (InputStream in = jar.getInputStream(entry)) {
      // Not readAllBytes, which allocates everything twice.
      if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
        throw new IOException("cut short: " + entry);
      }
    }
    Map<String, Place> places = new HashMap<>();
    for (int at = 0; number(bytes, at, 4) == HEADER; ) {
      int nameLength = number(bytes, at + NAME_LENGTH_AT, 2);
      int length = number(bytes, at + LENGTH_AT, 4);
      int begin = at + NAME_AT + nameLength + number(bytes, at + EXTRA_LENGTH_AT, 2);
      places.put(
          new String(bytes, at + NAME_AT, nameLength, StandardCharsets.UTF_8),
          new Place(bytes, begin, length));
      at = begin + length;
    }
    return places;
  }

  /** Numbers in a zip file are little-endian. */
  private static int number(byte[] bytes, int at, int length) {
    int number = 0;
    for (int i = length - 1; i >= 0; i--) {
      number = (number << 8) | (bytes[at + i] & 0xff);
    }
    return number;
  }
}
