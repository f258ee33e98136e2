package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.Rendezvous;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The errors of {@code collect}. */
@Timeout(60)
class CollectTest {

  @TempDir Path dir;

  private static CommandRun collect(Path dir, String... options) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "collect";
    arguments[1] = "--dir=" + dir;
    System.arraycopy(options, 0, arguments, 2, options.length);
    return CommandRun.of(arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--http", "--grpc"})
  void portThatIsTaken_isNamedWithWhoHasItAndTheCure(String option) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      String other = option.equals("--http") ? "--grpc=none" : "--http=0";
      CommandRun run = collect(dir.resolve("new"), other, option + "=" + port);
      assertThat(run.code()).isEqualTo(Main.FAILED);
      assertThat(run.out()).isEmpty();
      assertThat(run.err().lines())
          .hasSize(2)
          .first()
          .asString()
          .startsWith("Port " + port + " of 127.0.0.1 is taken")
          .endsWith(
              Files.exists(Path.of("/proc/net/tcp"))
                  ? " by process " + ProcessHandle.current().pid() + " (java)."
                  : ".");
      assertThat(run.err()).contains("Choose another with " + option + "=PORT,", option + "=0;");
    }
  }

  @Test
  void directoryInWhichAnotherCollects_isNamedWithIt() {
    try (Rendezvous other = new Rendezvous(dir.toFile(), true, true, "r", line -> {}, line -> {})) {
      assertThat(other.isDriver()).isTrue();
      CommandRun run = collect(dir, "--http=0", "--grpc=0");
      assertThat(run.code()).isEqualTo(Main.FAILED);
      assertThat(run.err().lines())
          .containsExactly(
              "A directory has one collector, and process "
                  + ProcessHandle.current().pid()
                  + " already collects in "
                  + dir
                  + ".",
              "Stop it, or choose another directory with --dir.");
    }
  }

  @Test
  void addressOfAnotherHost_isRefusedWithTheCure() {
    CommandRun run = collect(dir, "--http=0", "--grpc=none", "--host=192.0.2.1");
    assertThat(run.code()).isEqualTo(Main.FAILED);
    assertThat(run.err())
        .contains("cannot listen on 192.0.2.1", "--host takes an address of this host")
        .hasLineCount(2);
  }

  @Test
  void placeThatIsNoDirectory_isNamedWithTheCure() throws Exception {
    Path file = Files.writeString(dir.resolve("file"), "");
    CommandRun run = collect(file, "--http=0", "--grpc=none");
    assertThat(run.code()).isEqualTo(Main.FAILED);
    assertThat(run.err().strip())
        .startsWith("Cannot write in " + file.resolve("traces") + ": ")
        .endsWith(" Choose another directory with --dir.")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tök", "two words", "a\tb", " a", "a\u007f"})
  void tokenThatNoHeaderCanCarry_isRefused(String token) {
    CommandRun run = collect(dir.resolve("new"), "--http=0", "--grpc=none", "--token=" + token);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("--token takes ASCII letters, digits and signs")
        .doesNotContain("=" + token);
    assertThat(dir.resolve("new")).doesNotExist();
  }
}
