package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeenSpansTest {

  @Test
  void randomIds_areKnownAsToAHashSet() {
    Random random = new Random(3);
    SeenSpans ids = new SeenSpans();
    Set<String> same = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      // Few enough different ones that many come twice, and close to each other.
      String traceId = String.format("%016x%016x", random.nextInt(3), random.nextInt(30));
      String spanId =
          String.format("%016x", random.nextInt(1000) * (random.nextBoolean() ? 1 : -1L));
      assertThat(ids.contains(traceId, spanId)).isEqualTo(same.contains(traceId + spanId));
      assertThat(ids.add(traceId, spanId)).isEqualTo(same.add(traceId + spanId));
    }
    assertThat(same).hasSizeGreaterThan(50_000);
  }
}
