package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** JDK 24 and later have no security managers. The JDK itself prints warnings of them. */
@EnabledForJreRange(max = JRE.JAVA_23)
class SecurityManagerIT {

  private @TempDir Path directory;

  @Test
  void managerThatAllowsAll_isTracedAsWithoutOne() throws Exception {
    Path policy =
        Files.writeString(
            directory.resolve("all.policy"),
            "grant { permission java.security.AllPermission; };\n");
    Result result =
        ProgramRun.of(directory, SecurityManagerWorker.class)
            .jvmOptions("-Djava.security.manager", "-Djava.security.policy==" + policy)
            .run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines())
        .containsExactly("trained", "reflection is allowed", "the proxy has run", "trained");
    assertThat(ofTheAgent(result)).isEmpty();
    assertThat(result.spans()).hasSize(2);
  }

  /**
   * The agent's work in a call counts as the application's. How far the call gets depends on what
   * another thread has prepared, so the first missing permission varies.
   */
  @Test
  void policyThatAllowsTheAgentAlone_isUntracedAndItsCauseIsSaid() throws Exception {
    Path policy =
        Files.writeString(
            directory.resolve("agent.policy"),
            "grant codeBase \""
                + ProgramRun.AGENT.toUri()
                + "\" { permission java.security.AllPermission; };\n");
    Result result =
        ProgramRun.of(directory, SecurityManagerWorker.class)
            .jvmOptions("-Djava.security.manager", "-Djava.security.policy==" + policy)
            .run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines()).hasSize(4).startsWith("trained").endsWith("trained");
    assertThat(ofTheAgent(result))
        .first()
        .asString()
        .contains("tracing failed; the application continues", "access denied");
  }

  @Test
  void policyThatAllowsTheAgentNothing_isOneLineWithItsCause() throws Exception {
    Result result =
        ProgramRun.of(directory, SecurityManagerWorker.class)
            .jvmOptions("-Djava.security.manager")
            .run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines()).hasSize(4);
    assertThat(ofTheAgent(result))
        .singleElement()
        .asString()
        .contains("the program runs without it", "access denied");
  }

  /** The manager asks it while its call is linked. */
  @Test
  void tracedMethodThatTheManagerAsks_staysUntracedWithOneLine() throws Exception {
    Result result =
        ProgramRun.of(directory, SecurityManagerWorker.class, "refusing")
            .jvmOptions("-Djava.security.manager=allow")
            .environment("ROLL_OTEL_METHODS", "io.rollotel.it.SecurityManagerWorker$Rules[allow]")
            .run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines())
        .containsExactly("trained", "no reflection", "the proxy has run", "trained");
    assertThat(ofTheAgent(result))
        .singleElement()
        .asString()
        .contains("Rules stays untraced: it is called while its tracing is prepared");
    assertThat(result.err()).doesNotContain("ASSERTION FAILED");
    assertThat(result.spans().stream().map(Span::name)).containsOnly("worker.train");
  }

  @Test
  void tracedManagerThatRefusesReflection_doesWhatItDoesWithoutTracing() throws Exception {
    ProgramRun run =
        ProgramRun.of(directory, SecurityManagerWorker.class, "refusing")
            .jvmOptions("-Djava.security.manager=allow")
            .environment("ROLL_OTEL_METHODS", "io.rollotel.it.SecurityManagerWorker$Refusing[*]");
    Result untraced = run.withoutAgent().run();
    assertThat(untraced.lines())
        .containsExactly("trained", "no reflection", "the proxy has run", "trained");

    Result result = run.withAgent().run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines()).as(result.err()).isEqualTo(untraced.lines());
    assertThat(ofTheAgent(result))
        .as(result.err())
        .first()
        .asString()
        .contains("Refusing stays untraced: the JVM calls it for permission checks while it links");
  }

  private static List<String> ofTheAgent(Result result) {
    return result.err().lines().filter(line -> line.startsWith("[roll-otel]")).toList();
  }
}
