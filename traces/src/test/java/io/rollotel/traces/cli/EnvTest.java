package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.Rendezvous;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "shell | export ROLL_OTEL_RUN_ID='it'\\''s'",
        "docker | ROLL_OTEL_RUN_ID=it's",
        "json | \"ROLL_OTEL_RUN_ID\":\"it's\"",
      })
  void runThatIsOn_isPrintedInEachFormat(String format, String runId) {
    try (Rendezvous driver = driver("it's")) {
      assertThat(driver.isDriver()).isTrue();
      assertThat(run("--format=" + format)).isZero();
      assertThat(out.toString().lines())
          .anyMatch(line -> line.contains(runId))
          .anyMatch(line -> line.contains("OTEL_EXPORTER_OTLP_ENDPOINT"))
          .anyMatch(line -> line.contains("authorization=Bearer%20"));
      assertThat(err.toString().contains("--network=host")).isEqualTo(format.equals("docker"));
    }
  }

  @Test
  void exportsForTheShell_areWhatTheShellReads() throws Exception {
    try (Rendezvous driver = driver("a' \"b\" $HOME `id` \\ *")) {
      assertThat(driver.isDriver()).isTrue();
      assertThat(run()).isZero();
      Path script = directory.resolve("env.sh");
      Files.writeString(script, out + "printf '%s' \"$ROLL_OTEL_RUN_ID\"\n");
      Process shell = new ProcessBuilder("/bin/sh", script.toString()).start();
      assertThat(new String(shell.getInputStream().readAllBytes())).isEqualTo(driver.runId());
    }
  }

  @Test
  void noRun_isOneLineAndExitCode1() {
    assertThat(run()).isEqualTo(Main.FAILED);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("No run is active in ");
  }

  @Tag("campaign")
  @Test
  void collectorOnAnotherHostsLoopback_saysWhatToSet() throws Exception {
    Path file = Files.createDirectories(directory.resolve("traces")).resolve(".driver");
    Files.writeString(file, "run_id=r\nhost=another\nendpoint=http://127.0.0.1:1\ntoken=t\n");
    assertThat(run()).isEqualTo(Main.FAILED);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("ROLL_OTEL_COLLECTOR_HOST");
  }

  private int run(String... options) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "env";
    System.arraycopy(options, 0, arguments, 1, options.length);
    arguments[arguments.length - 1] = directory.toString();
    CommandRun run = CommandRun.of(arguments);
    out.append(run.out());
    err.append(run.err());
    return run.code();
  }

  private Rendezvous driver(String runId) {
    return new Rendezvous(
        directory.toFile(), true, false, runId, line -> err.append(line), line -> {});
  }
}
