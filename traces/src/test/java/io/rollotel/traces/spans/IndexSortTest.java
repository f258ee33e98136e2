package io.rollotel.traces.spans;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
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

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "0,2,100", // equal keys, whose indexes the rest of the order decides on
    "0,1000,100",
    "17,900,1000000",
    "1795269422001401555,2,1000",
    "0,1795269422001401555,1000", // too far apart for a place beside them
    "0,9223372036854775807,1000"
  })
  void partWithKeys_isSortedByThemAndThenByTheOrder(long least, long bound, int length) {
    Random random = new Random(7);
    long[] keys = new long[length];
    for (int i = 0; i < length; i++) {
      keys[i] = least + random.nextLong(bound);
    }
    int[] ranks = random.ints(length, 0, 3).toArray();
    int[] indexes = IntStream.range(0, length).toArray();
    Integer[] expected = Arrays.stream(indexes).boxed().toArray(Integer[]::new);
    Comparator<Integer> order = Comparator.comparingLong(i -> keys[i]);
    Arrays.sort(expected, 3, length - 2, order.thenComparing(i -> ranks[i]));

    IndexSort.sort(
        indexes,
        3,
        length - 2,
        i -> keys[i],
        (a, b) -> keys[a] != keys[b] ? keys[a] < keys[b] : ranks[a] < ranks[b]);

    // containsExactly takes quadratic time for these lengths.
    assertThat(indexes).isEqualTo(Arrays.stream(expected).mapToInt(i -> i).toArray());
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
