package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completions that shells offer; each shell if it is installed. */
class CompletionTest {

  @TempDir Path dir;

  private Path script(String shell, String name) throws IOException {
    CommandRun run = CommandRun.of("completion", shell, "--name=" + name);
    assertThat(run.code()).as(run.err()).isZero();
    return Files.writeString(dir.resolve("script"), run.out());
  }

  private List<String> lines(String... command) throws Exception {
    boolean isThere =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, command[0])));
    assumeThat(isThere).as(command[0]).isTrue();
    Path files = Files.createDirectories(dir.resolve("files"));
    Files.writeString(files.resolve("run.jsonl"), "");
    Process process =
        new ProcessBuilder(command).directory(files.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed.lines().map(String::strip).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "a command,              rep,                    report replay",
    "all commands,           '',                     report collect env validate merge replay clean export completion",
    "an option,              report --fail,          --fail-on-regression --fail-on",
    "an option of each,      validate --wi,          --width",
    "the value of an option, report --color a,       auto always",
    "a value,                completion f,           fish",
    "a file,                 report --html r,        run.jsonl",
    "nothing,                report --nonsense,      ",
  })
  void bash_offersWhatGoesOn(String situation, String typed, String offered) throws Exception {
    Path script = script("bash", "rollo");
    String words = typed.isEmpty() ? "''" : typed.endsWith(" ") ? typed + "''" : typed;
    List<String> found =
        lines(
            "bash",
            "-c",
            "compopt() { :; }; source " // which works only while a shell completes
                + script
                + "; COMP_WORDS=(rollo "
                + words
                + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                + " $(complete -p rollo | sed 's/.*-F \\([^ ]*\\).*/\\1/');"
                + " printf '%s\\n' \"${COMPREPLY[@]}\"");
    found = found.stream().filter(line -> !line.isEmpty()).toList();
    assertThat(found)
        .as(situation)
        .containsExactlyInAnyOrder(offered == null ? new String[0] : offered.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "a command,              rollo rep,              report replay",
    "an option,              rollo report --fail,    --fail-on-regression --fail-on",
    "the value of an option, rollo report --color a, auto always",
    "a value,                rollo completion f,     fish",
    "a file,                 rollo report --html r,  run.jsonl",
  })
  void fish_offersWhatGoesOn(String situation, String typed, String offered) throws Exception {
    Path script = script("fish", "rollo");
    List<String> found =
        lines("fish", "--no-config", "-c", "source " + script + "; complete -C '" + typed + "'");
    assertThat(found.stream().map(line -> line.split("\t")[0]))
        .as(situation)
        .containsExactlyInAnyOrder(offered.split(" "));
  }

  @Test
  void zsh_takesTheScriptOfBash() throws Exception {
    Path script = script("zsh", "rollo");
    assertThat(Files.readString(script))
        .isEqualTo(CommandRun.of("completion", "bash", "--name=rollo").out());
    assertThat(
            lines(
                "zsh",
                "-f",
                "-c",
                "autoload -U compinit && compinit -u -d "
                    + dir.resolve("dump")
                    + "; source "
                    + script
                    + "; print $_comps[rollo]"))
        .last()
        .asString()
        .contains("_bash_complete");
  }

  @Test
  void nameThatIsNoCommand_isWrongUsage() {
    CommandRun run = CommandRun.of("completion", "bash", "--name=a; rm");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(2);
  }
}
