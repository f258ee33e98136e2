package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SeenSpansTest {

  @Tag("campaign")
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
      if (random.nextInt(3) == 0) {
        ids.remove(traceId, spanId);
        same.remove(traceId + spanId);
      }
    }
    assertThat(same).hasSizeGreaterThan(40_000);
  }

  /** A hundred million such traces are what a thousand workers make in a day. */
  @Test
  void tracesOfOneSpan_takeSomeTensOfBytes() {
    int count = 1 << 18;
    String[] ids = new String[count];
    for (int i = 0; i < count; i++) {
      ids[i] = String.format("%016x%016x", i * 0x9e3779b97f4a7c15L, i + 1);
    }
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    SeenSpans seen = new SeenSpans();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (String id : ids) {
      seen.add(id, "00000000000000aa");
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // Including what it allocated and released while it grew: twice what it keeps.
    assertThat(allocated / count).isLessThanOrEqualTo(2 * 44);
    assertThat(seen.contains(ids[count / 2], "00000000000000aa")).isTrue();
  }

  @Test
  void removedSpanOfTheEarlierOnes_isNewAgain() {
    SeenSpans ids = new SeenSpans(100);
    for (int i = 0; i < 150; i++) {
      add(ids, i);
    }
    ids.remove(traceId(3), String.format("%016x", 3));
    assertThat(contains(ids, 3)).isFalse();
    assertThat(add(ids, 3)).isTrue();
    assertThat(add(ids, 4)).isFalse();
  }

  @Test
  void boundedIds_areKnownAmongTheMostThatCameLast() {
    SeenSpans ids = new SeenSpans(100);
    for (int i = 0; i < 1000; i++) {
      assertThat(add(ids, i)).isTrue();
      for (int back = 0; back < Math.min(i + 1, 100); back++) {
        assertThat(add(ids, i - back)).as("%d after %d", i - back, i).isFalse();
      }
    }
    assertThat(contains(ids, 900)).isTrue();
    assertThat(contains(ids, 799)).isFalse();
    assertThat(add(ids, 0)).isTrue();
  }

  private static boolean add(SeenSpans ids, int id) {
    return ids.add(traceId(id), String.format("%016x", id));
  }

  private static boolean contains(SeenSpans ids, int id) {
    return ids.contains(traceId(id), String.format("%016x", id));
  }

  /** Seven spans to a trace; the first has the invalid id. */
  private static String traceId(int id) {
    return String.format("%032x", id / 7 + 1);
  }
}
