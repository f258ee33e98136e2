package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that would not be traced as intended. None of this is silent: the first lines of each
 * program tell who reports it, and how.
 *
 * <ul>
 *   <li>{@code compiler: rule}: the compiler, by this rule
 *   <li>{@code agent: text}: a line of the run's standard error
 *   <li>{@code doctor: text}: a line of {@code doctor}, in the run's environment
 *   <li>{@code env: NAME=value}, {@code with: opentelemetry|telemetry|no agent}, {@code processor:
 *       no}, {@code version: 50}: how it is compiled and run
 * </ul>
 */
class BrokenProgramsIT {

  private static final Path SOURCES = Path.of("src/test/resources/broken");
  private static final Path ANNOTATIONS = ProgramRun.ROOT.resolve("annotations/target/classes");

  private @TempDir Path directory;

  static List<String> programs() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      return files
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .sorted()
          .toList();
    }
  }

  @Test
  void thereAreEnough() throws IOException {
    assertThat(programs()).hasSizeGreaterThanOrEqualTo(25);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("programs")
  void brokenProgram_isNamed(String name) throws Exception {
    List<String> compilers = directives(name, "compiler");
    String said = compile(name, compilers.isEmpty());
    assertThat(compilers).allSatisfy(rule -> assertThat(said).contains("[roll-otel:" + rule + "]"));

    List<String> doctors = directives(name, "doctor");
    if (!doctors.isEmpty()) {
      Result result =
          withEnvironment(name, run(name)).withoutAgent().jar(ProgramRun.AGENT, "doctor").run();
      assertThat(doctors)
          .allSatisfy(text -> assertThat(result.lines()).anyMatch(line -> line.contains(text)));
      assertThat(result.exitCode())
          .isEqualTo(doctors.stream().anyMatch(text -> text.startsWith("FAIL")) ? 1 : 0);
    }

    List<String> agents = directives(name, "agent");
    if (!agents.isEmpty()) {
      Result result = withEnvironment(name, run(name)).run();
      assertThat(agents)
          .allSatisfy(text -> assertThat(result.said()).anyMatch(line -> line.contains(text)));
      assertThat(result.exitCode()).as(result.err()).isZero();
    }
    assertThat(compilers.size() + doctors.size() + agents.size()).as("named by whom?").isPositive();
  }

  @Test
  void libraryCompiledWithoutTheProcessor_isTracedAndReported() throws Exception {
    Path library = Files.createDirectory(directory.resolve("library"));
    compileInto(library, "ProcessorDidNotRun", "-proc:none");
    Path jar = directory.resolve("library.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> classes = Files.list(library)) {
      for (Path classFile : classes.toList()) {
        out.putNextEntry(new JarEntry(classFile.getFileName().toString()));
        out.write(Files.readAllBytes(classFile));
      }
    }
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .onlyClassPath(jar)
            .classPath(ANNOTATIONS)
            .main("ProcessorDidNotRun")
            .environment("ROLL_OTEL_LOG", "info")
            .run();

    assertThat(result.spans()).extracting(Span::name).containsExactly("worker.train");
    assertThat(result.said())
        .anyMatch(line -> line.contains("ProcessorDidNotRun is traced, but was compiled without"))
        .anyMatch(line -> line.contains("declared 1, woven 1, failed 0, never loaded 0"))
        .anyMatch(line -> line.contains("compiled without the processor: ProcessorDidNotRun;"));
  }

  private ProgramRun run(String name) throws Exception {
    ProgramRun run =
        ProgramRun.of(directory, PlainWorker.class)
            .onlyClassPath(directory.resolve("classes"))
            .classPath(ANNOTATIONS)
            .main(name);
    for (String with : directives(name, "with")) {
      switch (with) {
        case "opentelemetry" -> run.openTelemetry(System.getProperty("opentelemetry.newest"), true);
        case "telemetry" ->
            run.telemetry().openTelemetry(System.getProperty("opentelemetry.newest"), false);
        case "no agent" -> run.withoutAgent();
        default -> throw new IllegalArgumentException(with);
      }
    }
    return run;
  }

  private static ProgramRun withEnvironment(String name, ProgramRun run) throws IOException {
    for (String variable : directives(name, "env")) {
      String[] nameAndValue = variable.split("=", 2);
      run.environment(nameAndValue[0], nameAndValue[1]);
    }
    return run;
  }

  /** What follows the word in the first lines of the program. */
  private static List<String> directives(String name, String word) throws IOException {
    String start = "// " + word + ": ";
    return Files.readAllLines(SOURCES.resolve(name + ".java")).stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .toList();
  }

  /** What the compiler said. */
  private String compile(String name, boolean mustCompile) throws Exception {
    List<String> versions = directives(name, "version");
    List<String> options = new ArrayList<>();
    options.addAll(List.of("--release", versions.isEmpty() ? "17" : "8", "-Xlint:-options"));
    if (directives(name, "processor").isEmpty()) {
      String processor = ProgramRun.ROOT.resolve("processor/target/classes").toString();
      options.addAll(List.of("-processorpath", processor + File.pathSeparator + ANNOTATIONS));
    } else {
      options.add("-proc:none");
    }
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String said = compileInto(classes, name, options.toArray(String[]::new));
    assertThat(said.contains("error:") && mustCompile).as(said).isFalse();
    for (String version : versions) {
      try (Stream<Path> files = Files.list(classes)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
          byte[] bytes = Files.readAllBytes(file);
          bytes[7] = (byte) Integer.parseInt(version); // the major version (JVMS 4.1)
          Files.write(file, bytes);
        }
      }
    }
    return said;
  }

  private static String compileInto(Path classes, String name, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Finished.jdk("javac"), "-d"));
    command.addAll(List.of(classes.toString(), "-classpath"));
    List<Path> path = new ArrayList<>(List.of(ANNOTATIONS));
    path.add(ProgramRun.ROOT.resolve("telemetry/target/classes"));
    path.addAll(ProgramRun.openTelemetryJars(System.getProperty("opentelemetry.newest"), true));
    command.add(String.join(File.pathSeparator, path.stream().map(Path::toString).toList()));
    command.addAll(List.of(options));
    command.add(SOURCES.resolve(name + ".java").toString());
    Finished javac = Finished.of(new ProcessBuilder(command).redirectErrorStream(true));
    assertThat(javac.out()).doesNotContain("usage:");
    return javac.out();
  }
}
