package io.rollotel.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code -Aroll.otel.off}: names that are no warning's. Those that are: WarningsOffForTheProject.
 */
class SwitchedOffTest {

  private @TempDir Path output;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "JAVAC | no-carier | -Aroll.otel.off names a rule that does not exist: no-carier. These can"
            + " be switched off: no-carrier, generic-carrier,",
        "ECJ   | no-carier | -Aroll.otel.off names a rule that does not exist: no-carier.",
        "JAVAC | no-carrier, native | -Aroll.otel.off=native has no effect: the rule is an error and"
            + " cannot be switched off.",
        "ECJ   | native    | -Aroll.otel.off=native has no effect",
      })
  void nameThatIsNoWarnings_isAWarningOfItsOwn(String compiler, String given, String said)
      throws Exception {
    List<String> lines =
        Compiler.valueOf(compiler)
            .compile(
                output,
                List.of("-Aroll.otel.off=" + given),
                List.of(Path.of("src/test/resources/fixtures/NativeMethod.java")));
    assertThat(lines)
        .anyMatch(line -> line.contains("WARNING: " + said))
        .anyMatch(line -> line.contains("ERROR: ") && line.contains("[roll-otel:native]"));
  }
}
