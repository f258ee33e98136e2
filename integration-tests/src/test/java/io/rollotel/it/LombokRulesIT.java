package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.ProgramRun;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor beside Lombok, whose getters are not there when it starts. */
class LombokRulesIT {

  private static final Path ROOT = ProgramRun.ROOT;

  private @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void gettersOfLombok_carry(boolean lombokFirst) throws Exception {
    Path lombok;
    try (Stream<Path> jars =
        Files.list(ROOT.resolve("integration-tests/target/compilers/lombok"))) {
      lombok = jars.findFirst().orElseThrow();
    }
    Path annotations = ROOT.resolve("annotations/target/classes");
    String ours = ROOT.resolve("processor/target/classes") + File.pathSeparator + annotations;
    ProcessBuilder javac =
        new ProcessBuilder(
                Finished.jdk("javac"),
                "--release",
                "17",
                "-classpath",
                annotations + File.pathSeparator + lombok,
                "-processorpath",
                lombokFirst
                    ? lombok + File.pathSeparator + ours
                    : ours + File.pathSeparator + lombok,
                "-d",
                directory.toString(),
                ROOT.resolve("integration-tests/src/test/resources/languages/LombokKinds.java")
                    .toString())
            .redirectErrorStream(true);
    assertThat(Finished.of(javac).isWell().out()).doesNotContain("ofBatch");
    assertThat(Files.readString(directory.resolve("META-INF/roll-otel/fixtures.LombokKinds.idx")))
        .contains(
            "\tofBatch\t(Lfixtures/LombokKinds$Batch;)I\ttrace\t-\t0:payload\tworker.ofBatch\n");
  }
}
