package io.rollotel.benchmarks.peers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Payloads' {@code meta_info}, each with a trace context of its own; for one thread. */
public final class Payloads {

  /** One that is sampled. */
  static final Map<String, Object> METHOD_CALL = metaInfo(new SplittableRandom(1));

  /** As many distinct carriers as no cache of one would serve. */
  private static final int COUNT = 4096;

  private final List<Map<String, Object>> all = new ArrayList<>();
  private int next;

  /** The same ones in each process. */
  public Payloads() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < COUNT; i++) {
      all.add(metaInfo(random));
    }
  }

  /** The next one; the first one follows the last. */
  public Map<String, Object> next() {
    return all.get(next++ & COUNT - 1);
  }

  private static Map<String, Object> metaInfo(SplittableRandom random) {
    String traceparent =
        String.format(
            "00-%016x%016x-%016x-01",
            random.nextLong() | 1, random.nextLong(), random.nextLong() | 1);
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put("_otel_ctx", new HashMap<>(Map.of("traceparent", traceparent)));
    return metaInfo;
  }
}
