package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PageBytesTest {

  /** What a column may hold. */
  private enum Numbers {
    RANDOM(new Random(3).longs(200_000, 0, 5000).toArray()),
    REPEATED(new long[] {3, 1, 400, 1, 5, 9, 260}),
    EQUAL(new long[] {0}),
    FIRST_RANDOM_THEN_EQUAL(firstRandom());

    private final long[] values;

    Numbers(long[] values) {
      this.values = values;
    }

    private static long[] firstRandom() {
      Random random = new Random(4);
      long[] values = new long[200_000];
      for (int i = 0; i < 60_000; i++) {
        values[i] = random.nextLong(5000);
      }
      return values;
    }

    PageBytes column(int count) {
      IntToLongFunction value = i -> values[i % values.length];
      PageBytes column = new PageBytes();
      for (int i = 0; i < count; i++) {
        column.add(value.applyAsLong(i));
      }
      return column;
    }
  }

  @ParameterizedTest
  @EnumSource
  void column_isInflatedToItself(Numbers numbers) throws IOException {
    for (int count : new int[] {0, 1, 1000, 200_000}) {
      PageBytes column = numbers.column(count);

      byte[] deflated = column.deflated();

      assertThat(inflated(deflated)).as("%d numbers", count).isEqualTo(column.toByteArray());
    }
  }

  @ParameterizedTest
  @EnumSource
  void largeColumn_isNotLargerThanByTheDefault(Numbers numbers) {
    PageBytes column = numbers.column(200_000);

    assertThat(column.deflated().length).isLessThanOrEqualTo(byDefault(column.toByteArray()));
  }

  private static byte[] inflated(byte[] deflated) throws IOException {
    // The inflater wants one more byte where there is no header.
    byte[] padded = new byte[deflated.length + 1];
    System.arraycopy(deflated, 0, padded, 0, deflated.length);
    Inflater inflater = new Inflater(true);
    try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(padded), inflater)) {
      return in.readAllBytes();
    } finally {
      inflater.end();
    }
  }

  private static int byDefault(byte[] bytes) {
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    try {
      deflater.setInput(bytes);
      deflater.finish();
      return deflater.deflate(new byte[2 * bytes.length + 64]);
    } finally {
      deflater.end();
    }
  }
}
