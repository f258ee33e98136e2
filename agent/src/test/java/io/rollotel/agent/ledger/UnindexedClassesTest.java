package io.rollotel.agent.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnindexedClassesTest {

  private @TempDir Path directory;
  private final UnindexedClasses unindexed = new UnindexedClasses();

  @ParameterizedTest
  @CsvSource({
    "acme.Worker, true",
    "acme.Worker$Inner$Innermost, true",
    "acme.Worker$1, true", // not shown to processors
    "acme.Worker$1Local$Inner, true",
    "acme.Other$1Local, true",
    "acme.Other, false",
    "acme.Other$Inner, false",
    "acme.$Worker, false",
    "acme.Wor, false"
  })
  void classWithoutAnIndex_isFound(String className, boolean indexed) throws Exception {
    Path folder = Files.createDirectories(directory.resolve(UnindexedClasses.FOLDER));
    Files.writeString(folder.resolve("acme.Worker.idx"), "roll-otel-index 1\n");
    try (URLClassLoader loader = loader();
        Stderr stderr = new Stderr()) {
      unindexed.woven(loader, className);
      writeClass(className);
      assertThat(stderr.lines()).as("nothing happens while classes are loaded").isEmpty();
      unindexed.find(1_000);
      assertThat(unindexed.count()).isEqualTo(indexed ? 0 : 1);
      assertThat(stderr.lines()).hasSize(indexed ? 0 : 1);
    }
  }

  @Test
  void furtherClasses_areCountedAndNotSaid() throws Exception {
    try (URLClassLoader loader = loader();
        Stderr stderr = new Stderr()) {
      for (String name : List.of("acme.First", "acme.Second", "acme.First", "acme.Third")) {
        writeClass(name);
        unindexed.woven(loader, name);
      }
      unindexed.find(1_000);
      unindexed.find(1_000);
      assertThat(unindexed.count()).isEqualTo(3);
      assertThat(unindexed.first()).isEqualTo("acme.First");
      assertThat(stderr.lines()).singleElement().asString().contains("acme.First is traced, but");
    }
  }

  @Test
  void loaderThatThrows_isTakenForIndexed() throws Exception {
    ClassLoader hostile =
        new ClassLoader(null) {
          @Override
          public URL getResource(String name) {
            throw new IllegalStateException("closed");
          }
        };
    unindexed.woven(hostile, "acme.Worker");
    unindexed.find(1_000);
    assertThat(unindexed.count()).isZero();
  }

  @Test
  void loaderThatIsClosed_isTakenForIndexed() throws Exception {
    writeClass("acme.Worker");
    URLClassLoader closed = loader();
    closed.close();
    unindexed.woven(closed, "acme.Worker");
    unindexed.find(1_000);
    assertThat(unindexed.count()).isZero();
  }

  /** For the loader to find; nobody reads what is in it. */
  private void writeClass(String className) throws IOException {
    Path file = directory.resolve(className.replace('.', '/') + ".class");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "");
  }

  private URLClassLoader loader() throws Exception {
    return new URLClassLoader(new URL[] {directory.toUri().toURL()}, null);
  }
}
