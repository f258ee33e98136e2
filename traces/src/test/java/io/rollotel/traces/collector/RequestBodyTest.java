package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {

  private final Queue<byte[]> free = new ArrayDeque<>();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32_767, 32_768, 32_769, 65_536, 300_000})
  void body_isReadAsItArrivedAndItsArraysAreUsedAgain(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int round = 0; round < 2; round++) {
      try (RequestBody body = new RequestBody(free)) {
        InputStream in = new ByteArrayInputStream(bytes);
        while (body.readFrom(in) == RequestBody.SEGMENT_BYTES) {
          // and the next
        }
        assertThat(body.stream().readAllBytes()).isEqualTo(bytes);
      }
      assertThat(free).hasSize(length / RequestBody.SEGMENT_BYTES + 1);
    }
  }
}
