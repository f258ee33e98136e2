package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestBuffersTest {

  private final RequestBuffers buffers = new RequestBuffers();

  @ParameterizedTest
  @CsvSource({
    "0, 65536",
    "65536, 65536",
    "65537, 131072",
    "8388608, 8388608",
    "8388609, 8388609",
  })
  void buffer_isLargeEnough(int wanted, int size) {
    assertThat(buffers.take(wanted)).hasSize(size);
  }

  @Test
  void buffer_isUsedAgainWhereItIsLargeEnough() {
    byte[] first = buffers.take(100_000);
    assertThat(buffers.take(100_000)).as("not yet given back").isNotSameAs(first);
    buffers.giveBack(first);
    assertThat(buffers.take(200_000)).isNotSameAs(first);
    assertThat(buffers.take(50_000)).isSameAs(first);
  }

  @Test
  void manyOrLargeBuffers_areNotKept() {
    byte[] large = buffers.take(41 << 20);
    buffers.giveBack(large);
    assertThat(buffers.take(41 << 20)).isNotSameAs(large);
    byte[] half = buffers.take(21 << 20);
    byte[] other = buffers.take(21 << 20);
    buffers.giveBack(half);
    buffers.giveBack(other);
    assertThat(buffers.take(21 << 20)).isSameAs(other);
    assertThat(buffers.take(21 << 20)).as("let go for the other").isNotSameAs(half);
    List<byte[]> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add(buffers.take(1 << 20));
    }
    many.forEach(buffers::giveBack);
    long kept = 0;
    for (int i = 0; i < 20; i++) {
      byte[] taken = buffers.take(1 << 20);
      kept += many.stream().anyMatch(buffer -> buffer == taken) ? 1 : 0;
    }
    assertThat(kept).isEqualTo(4);
  }
}
