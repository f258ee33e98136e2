package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameTotalsTest {

  @ParameterizedTest
  @CsvSource({
    "1, 50, 1",
    "1, 95, 1",
    "2, 50, 1",
    "2, 95, 2",
    "3, 50, 2",
    "10, 50, 5",
    "10, 95, 10",
    "20, 95, 19",
    "100, 50, 50",
    "100, 95, 95",
    "100, 100, 100",
    "101, 95, 96"
  })
  void percentile_isTheNearestRank(int values, int percent, long expected) {
    long[] sorted = LongStream.rangeClosed(1, values).toArray();
    assertThat(NameTotals.percentile(sorted, percent)).isEqualTo(expected);
  }
}
