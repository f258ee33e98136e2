package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StudentTTest {

  /** By tables of the distribution. */
  @ParameterizedTest
  @CsvSource({
    "12.7062, 1, 0.05",
    "2.22814, 10, 0.05",
    "3.16927, 10, 0.01",
    "-2.04227, 30, 0.05",
    "0.5, 1, 0.704833",
    "1.959964, 10000000, 0.05",
    "0, 7, 1",
  })
  void valueFromATable_hasItsProbability(double t, double freedom, double p) {
    assertThat(StudentT.twoSided(t, freedom)).isCloseTo(p, within(2e-6));
  }
}
