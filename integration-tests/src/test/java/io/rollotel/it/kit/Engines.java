package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@code engines/setup} has installed, for the tests tagged {@code engines}. */
public final class Engines {

  private Engines() {}

  /** The folder of an engine; fails unless this file of it is there. */
  public static Path folder(String engine, String file) {
    Path folder = all().resolve(engine);
    assertThat(folder.resolve(file)).as("run engines/setup").exists();
    return folder;
  }

  /** The folder of an engine of Python's; fails unless it has what the requirements say. */
  public static Path python(String engine, Path requirements) throws IOException {
    Path folder = folder(engine, "requirements.txt");
    assertThat(Files.mismatch(folder.resolve("requirements.txt"), requirements))
        .as("what is in %s is not that of %s: run engines/setup %s", folder, requirements, engine)
        .isEqualTo(-1);
    return folder;
  }

  static Path all() {
    String engines = System.getenv("ROLL_OTEL_ENGINES");
    return engines == null || engines.isEmpty()
        ? Path.of(System.getProperty("user.home"), ".cache/roll-otel-engines")
        : Path.of(engines);
  }
}
