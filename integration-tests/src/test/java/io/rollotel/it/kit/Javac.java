package io.rollotel.it.kit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.lang.model.SourceVersion;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The running JDK's compiler, for fixtures. */
public final class Javac {

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  private static final Path ANNOTATIONS = ProgramRun.ROOT.resolve("annotations/target/classes");

  private Javac() {}

  /** The releases from 8 on that it writes class files for. */
  public static List<Integer> releases() {
    return COMPILER.getSourceVersions().stream()
        .map(SourceVersion::ordinal) // RELEASE_17 is the seventeenth
        .filter(release -> release >= 8)
        .sorted()
        .toList();
  }

  /** Compiles source files into a new folder. */
  public static Path compile(int release, Path folder, Path... sources) throws Exception {
    Files.createDirectories(folder);
    StringWriter said = new StringWriter();
    List<String> options =
        List.of(
            "--release",
            Integer.toString(release),
            "-proc:none",
            "-nowarn",
            "-Xlint:none",
            "-d",
            folder.toString(),
            "-classpath",
            ANNOTATIONS.toString());
    try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, UTF_8)) {
      boolean compiled =
          COMPILER
              .getTask(said, files, null, options, null, files.getJavaFileObjects(sources))
              .call();
      assertThat(compiled).as(said.toString()).isTrue();
    }
    return folder;
  }
}
