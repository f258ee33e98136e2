package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.ProgramRun;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor on Kotlin sources, through kapt. The fixtures contain the expected messages. */
class KaptIT {

  private static final Path MODULE = ProgramRun.ROOT.resolve("integration-tests");
  private static final Path SOURCES = MODULE.resolve("src/test/resources/kapt");
  private static final Path COMPILERS = MODULE.resolve("target/compilers");
  private static final Path ANNOTATIONS = ProgramRun.ROOT.resolve("annotations/target/classes");
  private static final Path PROCESSOR = ProgramRun.ROOT.resolve("processor/target/classes");

  private static final Pattern EXPECTED = Pattern.compile("// (ERROR|WARNING) ([a-z-]+): (.*)$");
  private static final Pattern SAID =
      Pattern.compile("(?m)^(error|warning): .*[.]kt:(\\d+): \\1: (.*) \\[roll-otel:([a-z-]+)\\]$");

  private @TempDir Path directory;

  /** If interfaces keep their bodies, the processor sees different stubs. */
  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"enable", "disable", "no-compatibility"})
  void kotlinSources_areCheckedAtTheirLines(String jvmDefault) throws Exception {
    assertThat(kapt("Worker.kt", "-jvm-default=" + jvmDefault)).isEqualTo(expected("Worker.kt"));
  }

  @Tag("campaign")
  @Test
  void brokenKotlinSources_areRefused() throws Exception {
    assertThat(kapt("Broken.kt")).isEqualTo(expected("Broken.kt"));
    assertThat(directory.resolve("classes/fixtures/Kept.class")).doesNotExist();
  }

  @Tag("campaign")
  @Test
  void kotlinSources_areIndexedByWhatTheyAreInClassFiles() throws Exception {
    kapt("Worker.kt");
    Path indexes = directory.resolve("resources/META-INF/roll-otel");
    try (Stream<Path> files = Files.list(indexes)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "fixtures.Work.idx", "fixtures.Worker.idx", "fixtures.WorkerKt.idx");
    }
    assertThat(Files.readString(indexes.resolve("fixtures.WorkerKt.idx")))
        .isEqualTo(
            """
            roll-otel-index 1
            fixtures.WorkerKt\tsend\t(Lfixtures/DataProto;)V\t-\tdispatch\t0:payload\t-
            """);
    assertThat(Files.readString(indexes.resolve("fixtures.Worker.idx")))
        .contains(
            "\toverloads\t(Lfixtures/DataProto;)V\t",
            "\toverloads\t(Lfixtures/DataProto;I)V\t",
            "\tpauses\t(Lfixtures/DataProto;Lkotlin/coroutines/Continuation;)Ljava/lang/Object;\t",
            "\tofModule$fixtures\t(Lfixtures/DataProto;)V\ttrace\t-\t0:payload\t"
                + "worker.ofModule$fixtures\n",
            "fixtures.Worker$Companion\tofCompanion\t");
  }

  /** Our messages: "line KIND rule: text". */
  private List<String> kapt(String source, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Finished.jdk("java"), "-Xmx1g"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"));
    command.add(COMPILERS.resolve("kotlin") + "/*");
    command.addAll(List.of("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib"));
    command.addAll(List.of("-no-reflect", "-jvm-target", "17", "-module-name", "fixtures"));
    command.addAll(
        List.of("-classpath", ANNOTATIONS + File.pathSeparator + jar("kotlin/kotlin-stdlib")));
    command.addAll(List.of("-d", directory.resolve("classes").toString()));
    command.add("-Xplugin=" + jar("kapt/kotlin-annotation-processing-embeddable"));
    for (String option :
        List.of(
            "aptMode=stubsAndApt",
            "sources=" + directory.resolve("sources"),
            "classes=" + directory.resolve("resources"),
            "stubs=" + directory.resolve("stubs"),
            "apclasspath=" + PROCESSOR,
            "apclasspath=" + ANNOTATIONS,
            "mapDiagnosticLocations=true")) {
      command.addAll(List.of("-P", "plugin:org.jetbrains.kotlin.kapt3:" + option));
    }
    command.addAll(List.of(options));
    command.add(SOURCES.resolve(source).toString());
    Finished compiler = Finished.of(new ProcessBuilder(command).redirectErrorStream(true));
    String said = compiler.out();
    assertThat(compiler.exitCode() == 0).as(said).isEqualTo(!said.contains("error:"));
    return SAID.matcher(said)
        .results()
        .map(
            match ->
                match.group(2)
                    + " "
                    + match.group(1).toUpperCase(Locale.ROOT)
                    + " "
                    + match.group(4)
                    + ": "
                    + startOf(match, source))
        .sorted()
        .toList();
  }

  /** As much of the text as the fixture has on that line. */
  private static String startOf(MatchResult said, String source) {
    try {
      Matcher expected =
          EXPECTED.matcher(
              Files.readAllLines(SOURCES.resolve(source)).get(Integer.parseInt(said.group(2)) - 1));
      String text = said.group(3);
      return expected.find() && text.startsWith(expected.group(3)) ? expected.group(3) : text;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> expected(String source) throws IOException {
    List<String> expected = new ArrayList<>();
    List<String> lines = Files.readAllLines(SOURCES.resolve(source));
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = EXPECTED.matcher(lines.get(i));
      if (matcher.find()) {
        expected.add(
            (i + 1) + " " + matcher.group(1) + " " + matcher.group(2) + ": " + matcher.group(3));
      }
    }
    expected.sort(null);
    return expected;
  }

  private static Path jar(String name) throws IOException {
    Path start = COMPILERS.resolve(name);
    try (Stream<Path> jars = Files.list(start.getParent())) {
      return jars.filter(
              jar -> jar.getFileName().toString().matches(start.getFileName() + "-[0-9].*"))
          .findFirst()
          .orElseThrow();
    }
  }
}
