package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {

  private final Segments segments = new Segments(4 * Segments.BYTES);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32_767, 32_768, 32_769, 65_536, 300_000})
  void body_isReadAsItWasWritten(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    RequestBody body = new RequestBody(segments);
    for (int at = 0; at < length; at += 7000) {
      byte[] part = Arrays.copyOfRange(bytes, at, Math.min(length, at + 7000));
      body.append(Arrays.copyOf(part, 8000), part.length);
    }
    assertThat(body.length()).isEqualTo(length);
    assertThat(body.stream().available()).isEqualTo(length);
    assertThat(body.stream().readAllBytes()).isEqualTo(bytes);
    InputStream one = body.stream();
    for (int i = 0; i < Math.min(length, 40_000); i++) {
      assertThat(one.read()).isEqualTo(bytes[i] & 0xff);
    }
  }

  @Test
  void bodyThatIsLetGo_endsAndTakesNothingMore() throws Exception {
    RequestBody body = new RequestBody(segments);
    body.append(new byte[40_000], 40_000);
    InputStream stream = body.stream();
    assertThat(stream.read(new byte[100])).isEqualTo(100);
    body.letGo();
    body.append(new byte[100], 100);
    body.letGo();
    assertThat(stream.available()).isZero();
    assertThat(stream.read()).isEqualTo(-1);
    assertThat(body.length()).isZero();
  }

  @Test
  void segments_areUsedAgainAsFarAsTheyAreKept() {
    List<byte[]> first = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      first.add(segments.take());
    }
    assertThat(first).extracting(one -> one.length).containsOnly(Segments.BYTES);
    segments.giveBack(first);
    int again = 0;
    for (int i = 0; i < 10; i++) {
      byte[] taken = segments.take();
      again += first.stream().anyMatch(one -> one == taken) ? 1 : 0;
    }
    assertThat(again).isEqualTo(4);
  }
}
