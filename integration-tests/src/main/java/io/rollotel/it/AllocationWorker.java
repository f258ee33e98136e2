package io.rollotel.it;

import com.sun.management.ThreadMXBean;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/** Prints how many bytes a call of each kind allocates on the thread that makes it. */
public final class AllocationWorker {

  /** Enough for the JIT compiler to have settled. */
  private static final int WARM_UP = 300_000;

  private static final int CALLS = 100_000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static int sink;

  private AllocationWorker() {}

  /** Runs every kind. */
  public static void main(String[] arguments) {
    Map<String, Object> sampled = payload("01");
    Map<String, Object> unsampled = payload("00");
    print("traced", i -> traced(sampled));
    print("attributes", i -> attributes(sampled, "small", i));
    print("sampled out", i -> traced(unsampled));
    print("suppressed", i -> traced(Map.of()));
    print("sum " + sink % 2, i -> {});
  }

  private static Map<String, Object> payload(String flags) {
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put(
        "_otel_ctx",
        Map.of(
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-" + flags,
            "roll.sent_at",
            "1700000000000000000"));
    return metaInfo;
  }

  private static void print(String kind, IntConsumer call) {
    for (int i = 0; i < WARM_UP; i++) {
      call.accept(i);
    }
    long thread = Thread.currentThread().getId();
    long before = THREADS.getThreadAllocatedBytes(thread);
    for (int i = 0; i < CALLS; i++) {
      call.accept(i);
    }
    System.out.println(kind + ": " + (THREADS.getThreadAllocatedBytes(thread) - before) / CALLS);
  }

  @Register(trace = true)
  private static void traced(@MetaInfo Map<String, Object> metaInfo) {
    sink += metaInfo.size();
  }

  @Register(trace = true)
  private static void attributes(
      @MetaInfo Map<String, Object> metaInfo,
      @SpanAttribute("model") String model,
      @SpanAttribute("step") int step) {
    sink += metaInfo.size() + model.length() + step;
  }
}
