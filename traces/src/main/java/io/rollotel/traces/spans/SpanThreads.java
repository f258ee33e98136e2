package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The threads on which spans began, if stated. */
public final class SpanThreads implements Serializable {

  /** Used instead of a thread: the span does not state it. */
  public static final long UNKNOWN = 0;

  private static final String THREAD_ID = "thread.id";
  private static final String RETURNED = "roll.returned_ns";

  static final Set<String> ATTRIBUTES = Set.of(THREAD_ID, RETURNED);

  private long[] ids = new long[0];

  /** By span; few methods return futures. */
  private final Map<Integer, Long> returned = new HashMap<>();

  void see(int span, Map<String, Object> attributes) {
    if (attributes.get(THREAD_ID) instanceof Long id) {
      if (span >= ids.length) {
        ids = Arrays.copyOf(ids, Math.max(1024, 2 * span));
      }
      ids[span] = id;
      if (attributes.get(RETURNED) instanceof Long nanos) {
        returned.put(span, nanos);
      }
    }
  }

  /** {@code thread.id}, or {@link #UNKNOWN}. */
  public long id(int span) {
    return span < ids.length ? ids[span] : UNKNOWN;
  }

  /** Whether any span states its thread. */
  public boolean areKnown() {
    return ids.length != 0;
  }

  /**
   * How long after its start the thread left the span to others, because its method returned a
   * future; otherwise longer than any span.
   */
  public long returnedNanos(int span) {
    return returned.getOrDefault(span, Long.MAX_VALUE);
  }
}
