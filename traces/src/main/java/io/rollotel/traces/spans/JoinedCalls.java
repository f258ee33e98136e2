package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.TraceIds;
import java.util.HexFormat;

/** Joins the traces of receivers to their senders' traces. */
final class JoinedCalls {

  private JoinedCalls() {}

  static void join(Spans spans, TraceIds traceIds, CallJoins joins) {
    if (joins.isEmpty()) {
      return;
    }
    int read = traceIds.size();
    int[] joined = new int[read];
    long[] parents = new long[read];
    for (int number = 0; number < read; number++) {
      String own = traceIds.text(number);
      String outer = joins.traceId(own);
      joined[number] = number;
      if (!outer.equals(own)) {
        joined[number] = traceIds.number(outer);
        parents[number] = HexFormat.fromHexDigitsToLong(joins.parentSpanId(own));
      }
    }
    for (int i = 0; i < spans.size(); i++) {
      int own = spans.trace(i);
      if (joined[own] != own) {
        spans.move(i, joined[own], parents[own]);
      }
    }
  }
}
