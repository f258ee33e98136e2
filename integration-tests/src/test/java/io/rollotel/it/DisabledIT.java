package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ClassBytesObserver;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disabled means absent: the shipped jar on the command line, tracing not enabled. */
class DisabledIT {

  private @TempDir Path directory;

  @Test
  void disabled_printsWhatAJvmWithoutTheAgentPrints() throws Exception {
    Result without = ProgramRun.of(directory, PlainWorker.class).withoutAgent().run().isClean();
    Result disabled =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutEnvironment("ROLL_OTEL_ENABLED")
            .run()
            .isClean();

    // Also: payload maps are untouched and there is no further thread, both of which the program
    // prints.
    assertThat(disabled.out()).isEqualTo(without.out()).contains("sent []");
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Test
  void disabled_loadsItsPremainClassAlone() throws Exception {
    Path log = directory.resolve("classes.log");
    ProgramRun.of(directory, PlainWorker.class)
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jvmOptions("-Xlog:class+load:file=" + log)
        .run()
        .isClean();

    List<String> ours =
        Files.readAllLines(log).stream()
            .filter(line -> line.contains("io.rollotel.") || line.contains(AGENT_JAR))
            .filter(line -> !line.contains("io.rollotel.it."))
            .toList();
    assertThat(ours).singleElement().asString().contains("io.rollotel.agent.Agent ");
  }

  private static final String AGENT_JAR = ProgramRun.AGENT.getFileName().toString();

  @Test
  void disabled_leavesTheClassAsItsLoaderGaveIt() throws Exception {
    Path observer = ClassBytesObserver.jar(directory);
    Result disabled =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutEnvironment("ROLL_OTEL_ENABLED")
            .agentBehind(observer + "=" + PlainWorker.class.getName())
            .run();
    Result enabled =
        ProgramRun.of(directory, PlainWorker.class)
            .agentBehind(observer + "=" + PlainWorker.class.getName())
            .run();

    byte[] file = PlainWorker.class.getResourceAsStream("PlainWorker.class").readAllBytes();
    String original = "bytes " + ClassBytesObserver.hash(file);
    assertThat(disabled.lines()).contains(original);
    assertThat(enabled.lines())
        .as("the observer does see weaving")
        .doesNotContain(original)
        .anyMatch(line -> line.startsWith("bytes "));
  }
}
