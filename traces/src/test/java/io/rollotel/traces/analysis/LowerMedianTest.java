package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LowerMedianTest {

  @ParameterizedTest
  @CsvSource({"7, 7", "9 3, 3", "9 3 5, 5", "9 3 5 1, 3", "2 2 9 9, 2"})
  void valuesInAnyOrder_middleOneOrLowerOfTwo(String text, long median) {
    long[] values = values(text);

    assertThat(LowerMedian.of(Arrays.stream(values))).isEqualTo(median);
    assertThat(LowerMedian.of(Arrays.stream(values).asDoubleStream())).isEqualTo(median);
    assertThat(LowerMedian.ofSorted(Arrays.stream(values).sorted().toArray())).isEqualTo(median);
  }

  @ParameterizedTest
  @CsvSource({"1 5, 1, 5", "1 5, 5, 1", "1 3 5, 3, 1", "1 3 5 9, 1, 5", "1 3 5 9, 9, 3"})
  void withoutOneOfThem_medianOfTheOthers(String text, long without, long median) {
    assertThat(LowerMedian.without(without, values(text))).isEqualTo(median);
  }

  @Test
  void withoutOneOfEquals_othersStay() {
    assertThat(LowerMedian.without(4, values("4 4 4"))).isEqualTo(4);
  }

  @Test
  void noValues_zero() {
    assertThat(LowerMedian.of(LongStream.empty())).isZero();
  }

  private static long[] values(String text) {
    return Stream.of(text.split(" ")).mapToLong(Long::parseLong).toArray();
  }
}
