package io.rollotel.agent.export;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import java.util.concurrent.atomic.LongAdder;

/** Spans that nobody gets: counted, and told to the user. Any thread. */
final class LostSpans {

  private final Ledger ledger;
  private final LongAdder dropped = new LongAdder();
  private final LongAdder untaken = new LongAdder();
  private final LongAdder late = new LongAdder();

  LostSpans(Ledger ledger) {
    this.ledger = ledger;
  }

  /** There was no room for so many. */
  void drop(int spans) {
    dropped.add(spans);
    ledger.dropped(spans);
  }

  /** Neither an exporter nor the own file takes so many, for a reason that was said. */
  void lose(int spans) {
    untaken.add(spans);
    ledger.dropped(spans);
  }

  /** One ended after user code had ended tracing. */
  void late() {
    late.increment();
  }

  /** Says once that spans are being dropped, if they are. */
  void tellDropped(int capacity) {
    if (dropped.sum() > 0) {
      AgentLog.warnOnce(
          "spans are being dropped: more end than can be delivered or kept (OTEL_BSP_MAX_QUEUE_SIZE is "
              + capacity
              + ")");
    }
  }

  /** Says how many were lost since it was last asked. */
  void tellAll(int capacity) {
    tellDropped(capacity);
    long lost = dropped.sumThenReset() + untaken.sumThenReset();
    if (lost > 0) {
      AgentLog.warn(lost + " spans were dropped");
    }
    long tooLate = late.sumThenReset();
    if (tooLate > 0) {
      AgentLog.warn(tooLate + " spans ended after Telemetry.shutdown and were not recorded");
    }
  }
}
