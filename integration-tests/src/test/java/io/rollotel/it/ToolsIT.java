package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JDK's own tools, and the JVM's archive of classes. */
class ToolsIT {

  private static final Path ANNOTATIONS = ProgramRun.ROOT.resolve("annotations/target/classes");

  private @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "0, 'javac -cp ANNOTATIONS -d . Worker.java'",
    "1, 'javac -cp ANNOTATIONS -d . Wrong.java'",
    "0, 'jar --create --file made.jar Worker.java'",
    "0, 'javap -cp ANNOTATIONS io.rollotel.annotations.Register'",
    "0, 'jps -q'",
    "0, 'jcmd -l'",
    "0, 'keytool -genkeypair -keyalg EC -dname CN=worker -storepass changeit -keystore made'",
    "1, 'keytool -list -storepass changeit -keystore missing'",
  })
  void toolUnderJavaToolOptions_doesAsWithoutUs(int exitCode, String command) throws Exception {
    Tool without = run(command, "");
    Tool with = run(command, "-javaagent:" + ProgramRun.AGENT);

    assertThat(without.exitCode).as(without.err).isEqualTo(exitCode);
    assertThat(with.exitCode).as(with.err).isEqualTo(exitCode);
    assertThat(with.err.lines().filter(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS")))
        .containsExactlyElementsOf(without.err.lines().toList());
    if (!command.startsWith("jps") && !command.startsWith("jcmd")) { // which list other JVMs
      assertThat(with.out).isEqualTo(without.out);
    }
    assertThat(with.files).as("what it left behind").isEqualTo(without.files);
  }

  private record Tool(int exitCode, String out, String err, List<String> files) {}

  private Tool run(String command, String javaToolOptions) throws Exception {
    Path here = Files.createTempDirectory(directory, "tool");
    Files.writeString(
        here.resolve("Worker.java"),
        "class Worker { @io.rollotel.annotations.Register(trace = true) void work() {} }");
    Files.writeString(here.resolve("Wrong.java"), "class Wrong { int none() {} }");
    List<String> words =
        new ArrayList<>(List.of(command.replace("ANNOTATIONS", ANNOTATIONS.toString()).split(" ")));
    words.set(0, Finished.jdk(words.get(0)));
    ProcessBuilder builder = new ProcessBuilder(words).directory(here.toFile());
    Launched.clean(builder).environment().put("ROLL_OTEL_ENABLED", "1");
    if (!javaToolOptions.isEmpty()) {
      builder.environment().put("JAVA_TOOL_OPTIONS", javaToolOptions);
    }
    Finished left = Finished.of(builder);
    try (Stream<Path> files = Files.walk(here)) {
      return new Tool(
          left.exitCode(),
          left.out(),
          left.err(),
          files.map(file -> here.relativize(file).toString()).sorted().toList());
    }
  }

  @Test
  void archiveOfClasses_isUsedAlsoWithUs() throws Exception {
    Path jar = jarOfPrograms();
    Path archive = directory.resolve("classes.jsa");
    run(jar, "-XX:ArchiveClassesAtExit=" + archive).withoutAgent().run();
    assertThat(archive).exists();

    for (boolean agent : new boolean[] {false, true}) {
      Path log = directory.resolve("loaded-" + agent + ".txt");
      ProgramRun run = run(jar, "-XX:SharedArchiveFile=" + archive, "-Xlog:class+load:file=" + log);
      Result result = (agent ? run : run.withoutAgent()).run();

      assertThat(result.exitCode()).isZero();
      assertThat(result.err()).isEmpty();
      // JDK 25 reports for any -javaagent that its module was missing when the archive was made.
      assertThat(result.lines().stream().filter(line -> !line.contains("[cds]")))
          .hasSize(5)
          .startsWith("sum 2", "caught no gradient");
      assertThat(Files.readString(log))
          .containsPattern("io[.]rollotel[.]it[.]Payload source: shared objects file [(]top[)]");
      if (agent) {
        assertThat(result.spans()).hasSize(2);
      }
    }
  }

  @Test
  void archiveMadeWithAnyAgent_isRefusedByTheJvmBeforeWeStart() throws Exception {
    Path archive = directory.resolve("classes.jsa");
    Result result = run(jarOfPrograms(), "-XX:ArchiveClassesAtExit=" + archive).run();

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.out() + result.err())
        .contains("AllowArchivingWithJavaAgent")
        .doesNotContain("[roll-otel]");
    assertThat(archive).doesNotExist();
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @EnabledForJreRange(min = JRE.JAVA_25)
  @Test
  void cacheOfClassesThatAreLoadedBeforeUs_isUsedAndTheyAreTraced() throws Exception {
    Path jar = jarOfPrograms();
    Path cache = directory.resolve("classes.aot");
    Result recorded =
        run(jar, "-XX:AOTCacheOutput=" + cache).environment("ROLL_OTEL_ENABLED", "0").run();
    assertThat(recorded.exitCode()).as(recorded.out() + recorded.err()).isZero();

    Path log = directory.resolve("loaded.txt");
    Result result = run(jar, "-XX:AOTCache=" + cache, "-Xlog:class+load:file=" + log).run();

    assertThat(result.isClean().lines()).startsWith("sum 2", "caught no gradient");
    assertThat(Files.readString(log))
        .containsPattern("io[.]rollotel[.]it[.]PlainWorker source: shared objects file");
    assertThat(result.spans()).hasSize(2);
  }

  @EnabledForJreRange(min = JRE.JAVA_25)
  @Test
  void cacheThatIsRecordedInATracedRun_isRecordedWithOneLine() throws Exception {
    Path cache = directory.resolve("classes.aot");
    Result result = run(jarOfPrograms(), "-XX:AOTCacheOutput=" + cache).run();

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    // The JVM lists the classes that it leaves out.
    assertThat(result.lines()).contains("sum 2", "caught no gradient");
    assertThat(result.said()).singleElement().asString().contains("this JVM records an AOT cache");
    assertThat(result.spans()).hasSize(2);
    assertThat(cache).exists();
  }

  private ProgramRun run(Path jar, String... options) {
    return ProgramRun.of(directory, PlainWorker.class).onlyClassPath(jar).jvmOptions(options);
  }

  /** The JVM archives classes of jars only. */
  private Path jarOfPrograms() throws IOException {
    Path target = directory.resolve("programs.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(target))) {
      for (Path folder : ProgramRun.programClasses()) {
        try (Stream<Path> files = Files.walk(folder)) {
          for (Path file :
              files.filter(path -> path.toString().matches(".*[.](class|idx)")).toList()) {
            out.putNextEntry(new JarEntry(folder.relativize(file).toString().replace('\\', '/')));
            out.write(Files.readAllBytes(file));
            out.closeEntry();
          }
        }
      }
    }
    return target;
  }
}
