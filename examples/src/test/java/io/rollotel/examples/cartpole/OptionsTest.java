package io.rollotel.examples.cartpole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OptionsTest {

  @AfterEach
  void clear() {
    System.clearProperty("worker.jvm.options");
  }

  @Test
  void allOptions() {
    assertThat(
            Options.parse(
                List.of("--steps 7 --seed -3 --workers 2 --threads 4 --returns r.txt".split(" "))))
        .isEqualTo(new Options(7, -3, 2, 4, Path.of("r.txt"), false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--stepps 3 | unknown option --stepps",
        "--steps    | --steps needs a value",
        "--steps x  | --steps needs a whole number, not x",
        "--steps 0  | --steps needs a number from 1 to 1000000, not 0",
        "--workers 65 | --workers needs a number from 1 to 64, not 65",
      })
  void wrongOption_saysWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> Options.parse(List.of(arguments.trim().split(" +"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void workerJvmOptions_quotedPartsKeepTheirSpaces() {
    System.setProperty("worker.jvm.options", " -javaagent:\"/a b/c.jar\"=x=1  -Xmx64m ");

    assertThat(Options.workerJvmOptions()).containsExactly("-javaagent:/a b/c.jar=x=1", "-Xmx64m");
  }
}
