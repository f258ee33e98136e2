package io.rollotel.traces.spans;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexSortTest {

  @ParameterizedTest
  @CsvSource({"0,0", "0,12", "0,1000", "1,13", "500,513", "7,993", "987,1000", "1000,1000"})
  void part_isSortedAsByAComparator_andTheRestIsLeftAlone(int from, int to) {
    Random random = new Random(5);
    int[] ranks = random.ints(1000, 0, 100).toArray(); // with equal ones, which keep their order
    int[] indexes = IntStream.range(0, 1000).toArray();
    Integer[] expected = Arrays.stream(indexes).boxed().toArray(Integer[]::new);
    Arrays.sort(expected, from, to, Comparator.comparingInt(i -> ranks[i]));

    IndexSort.sort(indexes, from, to, (a, b) -> ranks[a] < ranks[b]);

    assertThat(indexes).containsExactly(expected);
  }

  /** A run has a part for each trace: what one takes must not depend on how many there are. */
  @ParameterizedTest
  @CsvSource({"1000", "10000"})
  void partsOfAColumn_takeTheMemoryOfThePart(int parts) {
    int length = 100;
    int[] ranks = new Random(6).ints((long) parts * length).toArray();
    int[] indexes = IntStream.range(0, ranks.length).toArray();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = threads.getCurrentThreadAllocatedBytes();
    for (int from = 0; from < indexes.length; from += length) {
      IndexSort.sort(indexes, from, from + length, (a, b) -> ranks[a] < ranks[b]);
    }

    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(bytes / parts).isLessThan(4L * Integer.BYTES * length);
  }
}
