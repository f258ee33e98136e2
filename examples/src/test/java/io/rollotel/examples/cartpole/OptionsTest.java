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
                List.of(
                    "--slow 1=2.5 --steps 7 --seed -3 --workers 2 --threads 4 --returns r.txt"
                        .split(" "))))
        .isEqualTo(new Options(7, -3, 2, 4, Path.of("r.txt"), new Options.Slow(1, "2.5"), false));
  }

  @Test
  void slowRank_isTheOnlySlowOne() {
    Options options = Options.parse(List.of("--slow", "2=1.5"));
    assertThat(List.of(options.slowness(0), options.slowness(1), options.slowness(2)))
        .containsExactly("1", "1", "1.5");
    assertThat(Options.parse(List.of()).slowness(0)).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--stepps 3 ; unknown option --stepps",
        "--steps    ; --steps needs a value",
        "--steps x  ; --steps needs a whole number, not x",
        "--steps 0  ; --steps needs a number from 1 to 1000000, not 0",
        "--workers 65 ; --workers needs a number from 1 to 64, not 65",
        "--slow     ; --slow needs a value",
        "--slow 1   ; --slow needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not 1",
        "--slow =2  ; --slow needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not =2",
        "--slow 1=x ; --slow needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not 1=x",
        "--slow 1=NaN ; --slow needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not 1=NaN",
        "--slow 1=disk ; --slow needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not 1=disk",
        "--slow 3=gc ; --slow needs a rank from 0 to 2, not 3",
        "--slow -1=2 ; --slow needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not -1=2",
        "--slow 1=0.9 ; --slow needs a factor from 1 to 1000, not 0.9",
        "--slow 1=1001 ; --slow needs a factor from 1 to 1000, not 1001",
        "--slow 3=2 ; --slow needs a rank from 0 to 2, not 3",
        "--slow 2=2 --workers 2 ; --slow needs a rank from 0 to 1, not 2",
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
