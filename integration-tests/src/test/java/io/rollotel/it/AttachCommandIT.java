package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands say of JVMs, and what they refuse. */
class AttachCommandIT extends AttachFixture {

  @Test
  void commandThatHasNothingToDo_saysSo() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      assertThat(command("detach", program.pid()))
          .isEqualTo(new Answer(0, program.pid() + ": tracing was not on\n", ""));
      command("attach", program.pid());
      assertThat(command("attach", program.pid(), "output.dir=elsewhere"))
          .isEqualTo(
              new Answer(
                  0,
                  program.pid()
                      + ": tracing was on already, its settings stay as they are; traces go to "
                      + directory.resolve("output/otlp")
                      + "\n",
                  ""));
    }
  }

  @Test
  void list_showsWhichJvmsAreTraced() throws Exception {
    try (LiveProgram one = worker().start();
        LiveProgram other = worker().start()) {
      one.await("= ready");
      other.await("= ready");
      command("attach", other.pid());
      for (String[] arguments : new String[][] {{"attach"}, {"attach", "--list"}}) {
        assertThat(command(arguments).out().lines())
            .anyMatch(line -> line.matches(" *" + one.pid() + "  off +io.rollotel.*Worker"))
            .anyMatch(line -> line.matches(" *" + other.pid() + "  on +io.rollotel.*Worker"));
      }
    }
  }

  /** For each attempt the JDK creates a file there, and cannot delete it once the JVM has ended. */
  @EnabledOnOs(OS.LINUX)
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"--list, false", "--list, true", "of it, true"})
  void stoppedJvm_keepsNoFileInItsWorkingDirectory(String which, boolean isKilled)
      throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      Path file =
          Path.of("/proc", program.pid(), "cwd")
              .toRealPath()
              .resolve(".attach_pid" + program.pid());
      signal("STOP", program);
      Launched command = launch("attach", which.equals("--list") ? which : program.pid());
      if (isKilled) {
        Patience.until(() -> file + " is there", () -> Files.exists(file));
        signal("KILL", program);
      }
      Finished left = command.finish();
      assertThat(left.out() + left.err()).contains(program.pid()).doesNotContain("\tat ");
      assertThat(file).doesNotExist();
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "bogus=1, unknown agent argument bogus",
    "role=boss, 'ROLL_OTEL_ROLE=boss is not understood; it takes auto, driver, worker'",
    "methods=x, 'ROLL_OTEL_METHODS: x is not understood'",
    "enabled=false, 'attach starts tracing, and enabled=false forbids that. To end tracing: detach '",
    "output.dir, output.dir is not a setting; write key=value",
  })
  void wrongSetting_isSaidBeforeTheJvmIsTouched(String setting, String text) throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      Answer answer = command("attach", program.pid(), setting);
      assertThat(answer.exitCode()).isEqualTo(2);
      assertThat(answer.err()).contains(text).doesNotContain("\tat ");
      observe(program, null);
      assertThat(program.await("ours ")).isEqualTo("0");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-XX:+DisableAttachMechanism, was started with -XX:+DisableAttachMechanism",
    "-XX:-EnableDynamicAgentLoading, was started with -XX:-EnableDynamicAgentLoading",
  })
  void jvmThatForbidsIt_isNamedWithItsReason(String option, String reason) throws Exception {
    try (LiveProgram program = worker().jvmOptions(option).start()) {
      program.await("= ready");
      Answer answer = command("attach", program.pid());
      assertThat(answer.err()).startsWith("Process " + program.pid() + " " + reason);
      assertThat(answer.err().lines()).hasSize(1);
      assertThat(answer.exitCode()).isEqualTo(1);
      assertThat(program.ask("threads")).isEqualTo("[]");
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void processThatIsNoJvm_isNamedAndLivesOn(boolean itsNumberWasThatOfAJvm) throws Exception {
    Process other = new ProcessBuilder("sleep", "300").start();
    Path socket = Path.of("/tmp/.java_pid" + other.pid());
    Files.deleteIfExists(socket); // of a killed JVM of an earlier test
    try {
      if (itsNumberWasThatOfAJvm) {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(socket))
            .close(); // which leaves the file
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      }
      for (String what : List.of("attach", "detach")) {
        Answer answer = command(what, Long.toString(other.pid()));
        assertThat(answer.err()).startsWith("Process " + other.pid() + " is not a JVM");
        assertThat(answer.exitCode()).isEqualTo(1);
      }
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly().waitFor();
      Files.deleteIfExists(socket);
    }
    for (String what : List.of("attach", "detach")) {
      assertThat(command(what, Long.toString(other.pid())))
          .isEqualTo(new Answer(1, "", "There is no process " + other.pid() + ".\n"));
      assertThat(command(what, "me").exitCode()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"attach 1", "detach 1", "attach"})
  void javaWithoutTheAttachModule_saysSo(String arguments) throws Exception {
    Answer answer = command(List.of("--limit-modules", "java.se"), arguments.split(" "));
    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(answer.err()).startsWith("This Java cannot attach to others").hasLineCount(1);
  }
}
