package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SituationSpans;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes compiled by Kotlin, by Scala and with Lombok, under the shipped jar. */
class LanguagesIT {

  private static final Path TARGET = ProgramRun.ROOT.resolve("integration-tests/target");
  private static final Path SOURCES =
      ProgramRun.ROOT.resolve("integration-tests/src/test/resources/languages");
  private static final Path ANNOTATIONS = ProgramRun.ROOT.resolve("annotations/target/classes");

  /** Situation, and the spans that it makes: a(b) is a call of b inside a. */
  private static final String KOTLIN =
      """
      classMethod                          plain
      companionJvmStatic                   staticOfCompanion
      companionJvmStaticFromJava           staticOfCompanion
      companionMethod                      ofCompanion
      defaultArguments                     defaults defaults
      extensionFunction                    extension
      genericOverride                      work
      inlineFunction
      interfaceMethodByDefaultImpls        withBody
      interfaceMethodWithBody              withBody
      internalMethod                       ofModule$fixtures
      jvmOverloads                         overloads
      jvmOverloadsFromJava                 overloads overloads
      objectJvmStaticFromJava              staticOfObject
      objectMethod                         ofObject
      suspendFunctionThatDoesNotSuspend    goesOn
      suspendFunctionThatSuspends          pauses(plain) pauses(plain)
      topLevelFunction                     topLevel
      """;

  private static final String SCALA =
      """
      byNameParameter                      byName
      caseClassMethod                      twice
      classMethod                          plain
      companionMethodFromJava              ofCompanion
      defaultArguments                     defaults
      genericOverride                      work work
      objectMethod                         ofObject
      objectMethodFromJava                 ofObject
      severalParameterLists                curried
      topLevelMethod                       topLevel
      traitMethodOfAnAnonymousClass        withBody
      traitMethodOverridden                withBody(withBody)
      traitMethodThroughTheTrait           withBody
      traitMethodWithBody                  nothing withBody
      """;

  private static final String LOMBOK =
      """
      builderPayload                       ofBatch
      builderPayloadWithContext
      lombokSynchronized                   locked
      nonNullAndCleanup                    notNull notNull
      sneakyThrows                         sneaky sneaky
      """;

  private static @TempDir Path directory;
  private static Result result;
  private static SituationSpans spans;

  @BeforeAll
  static void compileAndRun() throws Exception {
    Path kotlin = compilers("kotlin", "kotlin-stdlib");
    Path scala = compilers("scala", "scala-library");
    List<Launched> running =
        List.of(
            java(
                "kotlin",
                "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
                "-no-stdlib",
                "-no-reflect",
                "-jvm-target",
                "17",
                "-module-name",
                "fixtures",
                "-classpath",
                classPath(ANNOTATIONS, kotlin),
                "-d",
                folder("kotlin").toString(),
                SOURCES.resolve("KotlinKinds.kt").toString()),
            java(
                "scala",
                "dotty.tools.dotc.Main",
                "-classpath",
                classPath(ANNOTATIONS, scala),
                "-d",
                folder("scala").toString(),
                SOURCES.resolve("ScalaKinds.scala").toString()));
    Launched javac =
        start(
            Finished.jdk("javac"),
            "--release",
            "17",
            "-classpath",
            classPath(ANNOTATIONS, compilers("lombok", "lombok")),
            "-processorpath",
            compilers("lombok", "lombok").toString(),
            "-d",
            folder("lombok").toString(),
            SOURCES.resolve("LombokKinds.java").toString());
    running.get(0).finish().isWell();
    running.get(1).finish().isWell();
    javac.finish().isWell();

    result =
        ProgramRun.of(
                directory,
                Situations.class,
                "kotlin",
                "fixtures.KotlinKinds",
                classPath(folder("kotlin"), kotlin),
                "scala",
                "fixtures.ScalaKinds",
                classPath(folder("scala"), scala),
                "lombok",
                "fixtures.LombokKinds",
                folder("lombok").toString())
            .run();
    spans = new SituationSpans(result);
  }

  @ParameterizedTest
  @CsvSource({"kotlin, KotlinKinds", "scala, ScalaKinds", "lombok, LombokKinds"})
  void everyKindOfMethod_makesOneSpanPerCall(String language, String className) {
    String table =
        switch (language) {
          case "kotlin" -> KOTLIN;
          case "scala" -> SCALA;
          default -> LOMBOK;
        };
    Map<String, String> expected = new TreeMap<>();
    for (String line : table.lines().toList()) {
      String[] row = line.strip().split(" +", 2);
      expected.put(language + " " + className + "." + row[0], row.length == 2 ? row[1] : "");
    }
    Map<String, String> trees = new TreeMap<>(spans.trees());
    trees.keySet().removeIf(situation -> !situation.startsWith(language));
    assertThat(trees).isEqualTo(expected);
  }

  @Test
  void everyKindOfMethod_returnsAndThrowsTheSame() {
    result.isCleanBut("compiled without roll-otel's"); // Kotlin's, and Lombok's
    assertThat(spans.answers().keySet()).isEqualTo(spans.trees().keySet());
    assertThat(spans.answers())
        .allSatisfy((situation, answer) -> assertThat(answer).isEqualTo("true"));
  }

  @Test
  void payloadWithLomboksGetter_givesTheParent() {
    Span span = spans.strays().get(0);
    assertThat(spans.strays()).hasSize(1);
    assertThat(span.name()).isEqualTo("worker.ofBatch");
    assertThat(span.traceId()).isEqualTo("0123456789abcdef0123456789abcdef");
    assertThat(span.parentSpanId()).isEqualTo("00000000000000aa");
  }

  private static Path folder(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }

  /** A jar that was copied for the language. */
  private static Path compilers(String language, String name) throws IOException {
    try (Stream<Path> jars = Files.list(TARGET.resolve("compilers").resolve(language))) {
      return jars.filter(jar -> jar.getFileName().toString().matches(name + "-[0-9].*"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String classPath(Path... entries) {
    return String.join(File.pathSeparator, Stream.of(entries).map(Path::toString).toList());
  }

  private static Launched java(String language, String main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Finished.jdk("java"), "-Xmx1g"));
    // Short runs, for which the second compiler is not worth its cost.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"));
    command.add(TARGET.resolve("compilers").resolve(language) + "/*");
    command.add(main);
    command.addAll(List.of(arguments));
    return start(command.toArray(String[]::new));
  }

  private static Launched start(String... command) throws IOException {
    return Launched.of(new ProcessBuilder(command).redirectErrorStream(true));
  }
}
