package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The agent's own commands. */
class CommandsTest {

  static List<Class<?>> commands() {
    return Commands.ALL;
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyOption_isInADocument(Class<?> command) throws IOException {
    CommandSpec spec = new CommandLine(command).getCommandSpec();
    StringBuilder documents = new StringBuilder();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("../docs"), "*.md")) {
      for (Path file : files) {
        documents.append(Files.readString(file));
      }
    }
    assertThat(documents).containsPattern("roll-otel-agent\\.jar " + spec.name() + "(?![a-z-])");
    assertThat(spec.options())
        .extracting(OptionSpec::longestName)
        .isNotEmpty()
        .allSatisfy(option -> assertThat(documents).containsPattern(option + "(?![a-z-])"));
  }

  /** As those of the other commands. */
  @ParameterizedTest
  @MethodSource("commands")
  void everyOption_isInTheSynopsis(Class<?> command) {
    CommandSpec spec = new CommandLine(command).getCommandSpec();
    String ways = String.join(" ", spec.usageMessage().customSynopsis());
    assertThat(spec.options())
        .extracting(OptionSpec::longestName)
        .filteredOn(option -> !List.of("--help", "--version").contains(option))
        .allSatisfy(option -> assertThat(ways).containsPattern(option + "(?![a-z-])"));
  }
}
