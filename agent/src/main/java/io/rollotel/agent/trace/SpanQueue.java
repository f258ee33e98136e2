package io.rollotel.agent.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.Account;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.Pump;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ended spans on their way out: bounded, and emptied in batches by one background thread.
 *
 * <p>Not the SDK's own batch processor, for three reasons: its thread would keep a dropped
 * application's classes alive, it loses silently what it cannot deliver, and it waits five seconds,
 * in which a worker may be killed. Its settings {@code otel.bsp.*} are honoured.
 */
final class SpanQueue implements SpanProcessor, LongSupplier {

  private final Delivery delivery;
  private final Account account;
  private final ConcurrentLinkedQueue<ReadableSpan> spans = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder late = new LongAdder();

  private int capacity = 16_384;
  private int batchSize = 512;
  private long delayNanos = TimeUnit.MILLISECONDS.toNanos(500);

  /** See {@link #flushSoon}. */
  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private volatile boolean soon;
  private volatile long lastTaskNanos;
  private long heldBackNanos;

  private volatile @Nullable Pump pump;
  private volatile boolean closing;

  /** The user has ended tracing. */
  private volatile boolean ended;

  /** Emptied for the last time; changed under rounds. */
  private volatile boolean closed;

  // Guarded by rounds.
  private final Object rounds = new Object();
  private boolean inRound;
  private List<SpanData> inFlight = List.of();
  private final List<CompletableResultCode> flushes = new ArrayList<>();

  SpanQueue(Delivery delivery, Account account) {
    this.delivery = delivery;
    this.account = account;
  }

  /** Takes the user's settings, before {@link #start}. */
  void configure(ConfigProperties config) {
    capacity = Math.max(1, config.getInt("otel.bsp.max.queue.size", capacity));
    batchSize =
        Math.min(capacity, Math.max(1, config.getInt("otel.bsp.max.export.batch.size", batchSize)));
    delayNanos =
        Math.max(
            1_000_000,
            config.getDuration("otel.bsp.schedule.delay", Duration.ofNanos(delayNanos)).toNanos());
  }

  void start() {
    pump = Pump.start("roll-otel-export", this);
  }

  @Override
  public void onStart(Context parentContext, ReadWriteSpan span) {}

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!span.getSpanContext().isSampled()) {
      return;
    }
    if (delivery.isOff()) {
      return; // which was said when it went off
    }
    if (ended) {
      late.increment();
      return;
    }
    if (size.get() >= capacity) {
      dropped.increment();
      account.dropped();
      return;
    }
    int waiting = size.incrementAndGet();
    spans.add(span);
    if (closed) {
      restToOwnFile(); // the JVM is ending, and nobody else will come for it
      return;
    }
    Pump running = pump;
    if (running != null) {
      running.hold(this);
      // Once per batch, not once per span: waking a thread costs more than a span.
      if (waiting == batchSize) {
        running.wake();
      }
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  /** One round of the background thread: everything that waits goes out. */
  @Override
  public long getAsLong() {
    List<CompletableResultCode> served;
    synchronized (rounds) {
      served = List.copyOf(flushes);
    }
    if (soon && served.isEmpty() && isHeldBack()) {
      return MOMENT_NANOS;
    }
    if (served.isEmpty() && size.get() == 0 && delivery.isResting()) {
      return soon ? MOMENT_NANOS : delayNanos;
    }
    boolean urgent = closing || !served.isEmpty() || size.get() > capacity / 2;
    if (!delivery.isReady(urgent)) {
      return TimeUnit.MILLISECONDS.toNanos(50);
    }
    synchronized (rounds) {
      inRound = true;
    }
    try {
      // As many as there were at the start: a steady load must not keep a round from ending.
      int left = size.get();
      while (left > 0) {
        List<SpanData> batch = take();
        if (batch.isEmpty()) {
          break;
        }
        left -= batch.size();
        deliver(batch);
        tellDropped();
      }
    } finally {
      synchronized (rounds) {
        inRound = false;
        inFlight = List.of();
        flushes.removeAll(served);
        rounds.notifyAll();
      }
      served.forEach(CompletableResultCode::succeed);
    }
    tellDropped();
    Pump running = pump;
    if (running != null) {
      running.release();
      if (size.get() > 0) {
        running.hold(this);
      }
    }
    return size.get() >= batchSize || (closing && size.get() > 0)
        ? 0
        : soon ? MOMENT_NANOS : delayNanos;
  }

  /**
   * The process may be ended at any time: what waits goes out once no task has ended for a moment.
   * Under a steady load as late as ever: a round for each task would cost more than the task.
   */
  void flushSoon() {
    lastTaskNanos = System.nanoTime();
    if (!soon) {
      soon = true;
      Pump running = pump;
      if (running != null) {
        running.wake();
      }
    }
  }

  private boolean isHeldBack() {
    boolean busy = System.nanoTime() - lastTaskNanos < MOMENT_NANOS;
    if (busy && !closing && heldBackNanos < delayNanos && size.get() < batchSize) {
      heldBackNanos += MOMENT_NANOS;
      return true;
    }
    heldBackNanos = 0;
    // A task that ends from here on wakes the thread anew.
    soon = busy;
    return false;
  }

  /**
   * The next batch of a round; none once the queue is closed, when the closing thread takes all.
   */
  private List<SpanData> take() {
    synchronized (rounds) {
      inFlight = closed ? List.of() : poll();
      return inFlight;
    }
  }

  private void deliver(List<SpanData> batch) {
    try {
      delivery.deliver(batch);
    } catch (RuntimeException | LinkageError e) {
      AgentLog.warnOnce("an exporter failed, its spans go to the own file: " + e);
      delivery.toOwnFile(batch);
    }
  }

  @Override
  public CompletableResultCode forceFlush() {
    CompletableResultCode flush = new CompletableResultCode();
    synchronized (rounds) {
      if (closed) {
        return CompletableResultCode.ofSuccess();
      }
      flushes.add(flush);
    }
    Pump running = pump;
    if (running != null) {
      running.wake();
    }
    return flush;
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }

  /**
   * Empties the queue; what is left at the deadline goes to the process's own file, and so does
   * what ends later where the JVM is ending. May be called again.
   *
   * @param atExit whether the JVM is ending; else the user has ended tracing
   */
  void close(long deadlineNanos, boolean atExit) {
    ended |= !atExit;
    closing = true;
    Pump running = pump;
    if (running == null) {
      return;
    }
    running.wake();
    synchronized (rounds) {
      while (!closed && (inRound || size.get() > 0)) {
        long leftNanos = deadlineNanos - System.nanoTime();
        if (leftNanos <= 0) {
          break;
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(rounds, leftNanos);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          break;
        }
      }
      // It may arrive all the same: a reader joins the two by their ids.
      delivery.leave();
      if (!closed && !inFlight.isEmpty()) {
        delivery.toOwnFile(inFlight);
      }
      closed = true;
      flushes.forEach(CompletableResultCode::succeed);
      flushes.clear();
    }
    restToOwnFile();
    if (atExit) {
      running.stop();
    } else {
      running.stop(delivery::closeExporters);
    }
    tellLost();
    delivery.close();
  }

  private void restToOwnFile() {
    for (List<SpanData> batch = poll(); !batch.isEmpty(); batch = poll()) {
      delivery.toOwnFile(batch);
    }
  }

  private List<SpanData> poll() {
    List<SpanData> batch = new ArrayList<>(Math.min(batchSize, Math.max(0, size.get())));
    while (batch.size() < batchSize) {
      ReadableSpan span = spans.poll();
      if (span == null) {
        break;
      }
      size.decrementAndGet();
      batch.add(span.toSpanData());
    }
    return batch;
  }

  private void tellDropped() {
    if (dropped.sum() > 0) {
      AgentLog.warnOnce(
          "spans are being dropped: more end than can be delivered (OTEL_BSP_MAX_QUEUE_SIZE is "
              + capacity
              + ")");
    }
  }

  private void tellLost() {
    tellDropped();
    long lost = dropped.sumThenReset();
    if (lost > 0) {
      AgentLog.warn(lost + " spans were dropped");
    }
    long tooLate = late.sumThenReset();
    if (tooLate > 0) {
      AgentLog.warn(tooLate + " spans ended after Telemetry.shutdown and were not recorded");
    }
  }
}
