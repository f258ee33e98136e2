package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunStepsTest {

  private static RunSteps of(long... nanos) {
    long[] sorted = LongStream.of(nanos).sorted().toArray();
    return RunSteps.of(sorted.length == 0 ? 0 : sorted[sorted.length / 2], LongStream.of(nanos));
  }

  private static long[] noisy(Random random, int steps) {
    return random.doubles(steps, 80, 120).mapToLong(Math::round).toArray();
  }

  @ParameterizedTest
  @CsvSource({"3, 4, false", "4, 3, false", "4, 4, true", "100, 4, true", "0, 0, false"})
  void fourStepsOfBoth_canTell(int before, int after, boolean canTell) {
    assertThat(of(new long[after]).canTell(of(new long[before]))).isEqualTo(canTell);
  }

  @Test
  void stepsThatAllTookLonger_areLonger() {
    assertThat(of(210, 220, 230, 240).areLongerThan(of(110, 120, 130, 140))).isTrue();
    assertThat(of(110, 120, 130, 140).areLongerThan(of(210, 220, 230, 240))).isFalse();
    assertThat(of(210, 220, 230).areLongerThan(of(110, 120, 130))).isFalse();
  }

  @Test
  void noise_isSeldomLonger() {
    Random random = new Random(7);
    int longer = 0;
    for (int i = 0; i < 1000; i++) {
      longer += of(noisy(random, 12)).areLongerThan(of(noisy(random, 12))) ? 1 : 0;
    }
    assertThat(longer).isBetween(5, 40); // one in 40 by chance
  }

  @Test
  void runWithoutSteps_isEmpty() {
    assertThat(RunSteps.NONE.isEmpty()).isTrue();
    assertThat(RunSteps.NONE.areLongerThan(of(1, 2, 3, 4))).isFalse();
  }
}
