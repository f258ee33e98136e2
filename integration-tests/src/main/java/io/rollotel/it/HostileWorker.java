package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Payloads with nonsense under {@code _otel_ctx}; every call must run as if there were no such key.
 */
public final class HostileWorker {

  private HostileWorker() {}

  /** Calls {@link #train} with each. */
  public static void main(String[] arguments) {
    Map<String, Object> cyclic = new HashMap<>();
    cyclic.put("traceparent", cyclic);
    List<Object> nonsense =
        List.of(
            42,
            "00-" + Payload.TRACE_ID + "-" + Payload.SPAN_ID + "-01",
            List.of("traceparent"),
            Map.of("traceparent", 7),
            Map.of("traceparent", "00-00000000000000000000000000000000-0000000000000000-01"),
            Map.of("traceparent", "x".repeat(1 << 20)),
            cyclic,
            new Throwing());
    int calls = 0;
    for (Object context : nonsense) {
      calls += train(Payload.withContext(context));
    }
    System.out.println("calls " + calls);
  }

  @Register(trace = true)
  private static int train(Payload payload) {
    return payload.getMetaInfo().isEmpty() ? 0 : 1;
  }

  /** A map of which every method fails. */
  private static final class Throwing extends AbstractMap<String, String> {
    @Override
    public Set<Map.Entry<String, String>> entrySet() {
      throw new UnsupportedOperationException("not yours");
    }
  }
}
