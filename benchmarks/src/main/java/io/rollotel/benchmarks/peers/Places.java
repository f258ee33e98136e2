package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The paths.
 *
 * @param agent our agent
 * @param peers the folder of the other agents
 * @param classes the class path of {@link Load} and {@link Smallest}
 * @param sdk the folder of the jars that the hand-written variant needs
 * @param emptyAgent a jar whose premain does nothing
 */
record Places(Path agent, Path peers, String classes, Path sdk, Path emptyAgent) {

  /** The class path: opentelemetry-javaagent looks for its annotation, and the API, there. */
  String classes(Contender contender) throws IOException {
    if (contender.needsSdk()) {
      return classes + ":" + sdk + "/*";
    }
    StringBuilder path = new StringBuilder(classes);
    if (contender.needsApi()) {
      try (DirectoryStream<Path> jars =
          Files.newDirectoryStream(
              sdk, "opentelemetry-{api,context,common,instrumentation-annotations}-[0-9]*.jar")) {
        jars.forEach(jar -> path.append(':').append(jar));
      }
    }
    return path.toString();
  }
}
