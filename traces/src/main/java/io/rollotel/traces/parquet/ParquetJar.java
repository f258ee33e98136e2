package io.rollotel.traces.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The jar beside the agent's that contains Parquet's library; in a build, the class path. */
final class ParquetJar {

  static final String NAME = "roll-otel-parquet.jar";

  private static final String VERSION = "version.txt";

  private static @Nullable ParquetFormat found;

  private ParquetJar() {}

  static synchronized ParquetFormat format() throws IOException {
    if (found == null) {
      found = find();
    }
    return found;
  }

  private static ParquetFormat find() throws IOException {
    ClassLoader ours = ParquetFormat.class.getClassLoader();
    Path agent = ours();
    Path jar = agent == null ? null : agent.resolveSibling(NAME);
    ParquetFormat format = in(ours);
    if (format == null && agent != null && jar != null && Files.isRegularFile(jar)) {
      String distrust = JarTrust.against(jar, agent);
      if (distrust != null) {
        throw new IOException(
            jar + " is not loaded, since " + distrust + ": its code would run as yours");
      }
      format = in(new URLClassLoader("roll-otel-parquet", new URL[] {jar.toUri().toURL()}, ours));
    }
    String version = version();
    if (format == null) {
      throw new IOException(
          "Parquet needs "
              + NAME
              + " of version "
              + version
              + ", a download of its own: put it "
              + (jar == null ? "on the class path" : "beside roll-otel-agent.jar, as " + jar));
    }
    if (!format.version().equals(version)) {
      throw new IOException(
          (jar == null ? NAME : jar)
              + " is of version "
              + format.version()
              + ", and this is roll-otel "
              + version
              + ": take both of one version");
    }
    return format;
  }

  private static @Nullable ParquetFormat in(@Nullable ClassLoader loader) throws IOException {
    try {
      Iterator<ParquetFormat> formats = ServiceLoader.load(ParquetFormat.class, loader).iterator();
      return formats.hasNext() ? formats.next() : null;
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new IOException(NAME + " cannot be loaded: " + e, e);
    }
  }

  /** The jar of this class; null if it comes from none. */
  private static @Nullable Path ours() {
    URL resource = ParquetJar.class.getResource(VERSION);
    String inJar = resource == null ? "" : resource.toString();
    int end = inJar.indexOf("!/");
    if (!inJar.startsWith("jar:file:") || end < 0) {
      return null;
    }
    return Path.of(URI.create(inJar.substring("jar:".length(), end)));
  }

  private static String version() throws IOException {
    try (InputStream in = ParquetJar.class.getResourceAsStream(VERSION)) {
      return in == null ? "unknown" : new String(in.readAllBytes(), UTF_8).trim();
    }
  }
}
