package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SelectionTest {

  private static void check(int length, IntToLongFunction number) {
    Random random = new Random(length);
    long[] numbers = IntStream.range(0, length).mapToLong(number).toArray();
    long[] sorted = numbers.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < 20; i++) {
      int place = random.nextInt(length);

      Selection.settle(numbers, 0, length, place);

      assertThat(numbers[place]).isEqualTo(sorted[place]);
      assertThat(Arrays.stream(numbers, 0, place).max().orElse(Long.MIN_VALUE))
          .isLessThanOrEqualTo(sorted[place]);
      assertThat(Arrays.stream(numbers, place, length).min().orElseThrow())
          .isEqualTo(sorted[place]);
    }
    Arrays.sort(numbers);
    assertThat(numbers).isEqualTo(sorted);
  }

  @Test
  void anyPlaceOfAnyNumbers_isAsInTheSortedOnes() {
    Random random = new Random(7);
    for (int length : new int[] {1, 2, 3, 32, 33, 34, 100, 1_000, 20_000}) {
      check(length, i -> random.nextLong());
      check(length, i -> random.nextInt(3));
      check(length, i -> 5);
      check(length, i -> i);
      check(length, i -> -i);
      check(length, i -> Math.min(i, length - i));
      check(length, i -> i % 2 == 0 ? i : -i);
    }
  }

  @Test
  void aPart_isSettledByItself() {
    long[] numbers = {9, 8, 3, 1, 2, 0};

    Selection.settle(numbers, 2, 5, 3);

    assertThat(numbers).startsWith(9, 8).endsWith(0);
    assertThat(numbers[3]).isEqualTo(2);
  }

  @Test
  void percentiles_areThoseOfTheSortedDurationsInAnyOrderOfQuestions() {
    Random random = new Random(11);
    NameTotals totals = new NameTotals("part");
    long[] nanos = random.longs(5_000, 0, 1_000_000).toArray();
    for (long duration : nanos) {
      totals.add(1, duration, 0, false);
    }
    Arrays.sort(nanos);
    for (int percent : new int[] {50, 95, 99, 100, 99, 1, 0, 50, 50, 100}) {
      assertThat(totals.percentile(percent)).isEqualTo(NameTotals.percentile(nanos, percent));
    }
    totals.add(1, 2_000_000, 0, false);
    assertThat(totals.percentile(100)).isEqualTo(2_000_000);
  }

  @Test
  void percentilesOfWeightedDurations_countEachAsOftenAsItStandsFor() {
    NameTotals totals = new NameTotals("part");
    totals.add(1, 30, 0, false);
    totals.add(8, 10, 0, false);
    totals.add(1, 20, 0, false);

    assertThat(totals.percentile(50)).isEqualTo(10);
    assertThat(totals.percentile(90)).isEqualTo(20);
    assertThat(totals.percentile(100)).isEqualTo(30);
  }
}
