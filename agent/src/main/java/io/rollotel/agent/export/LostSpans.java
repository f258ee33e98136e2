package io.rollotel.agent.export;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.recorder.Recorder;
import java.util.concurrent.atomic.LongAdder;

/** Counts undelivered spans, warns of them, and lets reports know their number. Any thread. */
final class LostSpans {

  private final Ledger ledger;
  private final Recorder recorder;
  private final LongAdder dropped = new LongAdder();
  private final LongAdder untaken = new LongAdder();
  private final LongAdder late = new LongAdder();

  // How many of the lost and of the late spans were warned of. Guarded by this.
  private long told;
  private long toldLate;

  LostSpans(Ledger ledger, Recorder recorder) {
    this.ledger = ledger;
    this.recorder = recorder;
  }

  /** Counts spans for which the queue had no room. */
  void drop(int spans) {
    dropped.add(spans);
    ledger.dropped(spans);
  }

  /**
   * Counts spans that neither the exporter nor the own file took. The component that refused them
   * has logged why.
   */
  void lose(int spans) {
    untaken.add(spans);
    ledger.dropped(spans);
  }

  /** Counts a span that ended after user code had shut tracing down. */
  void late() {
    late.increment();
  }

  /** Records how many are lost so far; warns once if spans are being dropped. */
  void tellDropped(int capacity) {
    long lost = sum();
    if (lost > 0) {
      // Late ones are in the recorder as well, so they belong to what it subtracts.
      recorder.dropped(lost + late.sum());
    }
    if (dropped.sum() > 0) {
      AgentLog.warnOnce(
          "spans are being dropped: more end than can be delivered or kept (OTEL_BSP_MAX_QUEUE_SIZE is "
              + capacity
              + ")");
    }
  }

  private long sum() {
    return dropped.sum() + untaken.sum();
  }

  /** Warns of all spans lost since the last call. */
  synchronized void tellAll(int capacity) {
    tellDropped(capacity);
    long all = sum();
    long lost = all - told;
    told = all;
    if (lost > 0) {
      AgentLog.warn(lost + (lost == 1 ? " span was dropped" : " spans were dropped"));
    }
    long allLate = late.sum();
    long tooLate = allLate - toldLate;
    toldLate = allLate;
    if (tooLate > 0) {
      AgentLog.warn(
          tooLate
              + (tooLate == 1 ? " span" : " spans")
              + " ended after Telemetry.shutdown or detach and "
              + (tooLate == 1 ? "was" : "were")
              + " not recorded");
    }
  }
}
