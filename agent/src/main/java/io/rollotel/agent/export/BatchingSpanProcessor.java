package io.rollotel.agent.export;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.agent.span.Thinning;
import io.rollotel.agent.span.WorkerMethodSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue of ended spans: bounded by their number and their estimated bytes, and emptied in
 * batches by one background thread. While that thread waits for an answer, it moves spans for which
 * there is no room into the process's own file ({@link SpansInFlight}), so a hanging collector
 * costs no span.
 *
 * <p>Not the SDK's own batch processor, for three reasons: its thread would keep a dropped
 * application's classes alive, it silently loses spans that it cannot deliver, and it waits five
 * seconds, in which a worker may be killed. Its settings {@code otel.bsp.*} are honoured.
 */
public final class BatchingSpanProcessor implements SpanProcessor, LongSupplier {

  private final FallbackExporter exporter;
  private final Recorder recorder;
  private final LostSpans lost;
  private final SpanQueue queue;
  private final SpansInFlight inFlight;

  /** Made once: memory may be short when it is needed. */
  private final Runnable overflow = this::overflow;

  private final PromptFlush prompt = new PromptFlush();
  private long delayNanos = TimeUnit.MILLISECONDS.toNanos(500);

  private boolean toldAwaited;

  /** Whether spans are exported at all: if not, the processor is not told of their ends. */
  private boolean wanted = true;

  private volatile @Nullable BackgroundTask task;
  private volatile boolean closing;

  /** The user has ended tracing. */
  private volatile boolean ended;

  /** Guards the two fields below, and the spans in flight. */
  private final Object rounds = new Object();

  private boolean inRound;
  private final List<CompletableResultCode> flushes = new ArrayList<>();

  /**
   * A queue that is emptied once it has started.
   *
   * @param thinning follows the size of the run's files
   */
  public BatchingSpanProcessor(
      FallbackExporter exporter, Ledger ledger, Recorder recorder, Thinning thinning) {
    this.exporter = exporter;
    this.recorder = recorder;
    lost = new LostSpans(ledger, recorder);
    queue = new SpanQueue(lost, new Backpressure());
    Delivery delivery = new Delivery(exporter, ledger, recorder, lost, new RunLimit(thinning));
    inFlight = new SpansInFlight(queue, exporter, delivery, lost, rounds);
  }

  /** Takes the user's settings, before {@link #start}. */
  public void configure(ConfigProperties config) {
    int capacity = Math.max(1, config.getInt("otel.bsp.max.queue.size", queue.capacity()));
    int batchSize = config.getInt("otel.bsp.max.export.batch.size", queue.batchSize());
    queue.configure(capacity, Math.min(capacity, Math.max(1, batchSize)));
    delayNanos =
        Math.max(
            1_000_000,
            config.getDuration("otel.bsp.schedule.delay", Duration.ofNanos(delayNanos)).toNanos());
  }

  /**
   * Reads the settings of a queue and uses none of them.
   *
   * @throws io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException for one that is no number
   */
  public static void check(ConfigProperties config) {
    config.getInt("otel.bsp.max.queue.size");
    config.getInt("otel.bsp.max.export.batch.size");
    config.getDuration("otel.bsp.schedule.delay");
  }

  /** Sets what completes spans before they are exported; call it before {@link #start}. */
  public void setResource(SpanResource resource) {
    queue.setResource(resource);
  }

  public void start() {
    queue.setRecorded(recorder.endedRoom());
    wanted = !exporter.isNone();
    task = BackgroundTask.start("roll-otel-export", this);
    if (exporter.isReplayed()) { // otherwise no class is generated for this
      exporter.startReplay(queue::isLow);
    }
  }

  @Override
  public void onStart(Context parentContext, ReadWriteSpan span) {}

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!WorkerMethodSpan.isSampled(span)) {
      return;
    }
    if (ended) {
      lost.late();
      return;
    }
    if (exporter.isOff()) {
      lost.lose(1); // a warning was logged when it was disabled
      return;
    }
    BackgroundTask running = task;
    SpanQueue.Added added = queue.add(span);
    while (added == SpanQueue.Added.NO_ROOM) {
      if (running == null || !queue.awaitRoom(running::wake)) {
        lost.drop(1);
        return;
      }
      added = queue.add(span);
    }
    if (inFlight.isClosed()) {
      inFlight.keepQueue(); // the JVM is exiting, and nothing else will export it
      return;
    }
    if (running != null) {
      running.hold(this);
      // Once per batch, not once per span: waking a thread costs more than a span.
      if (added == SpanQueue.Added.FILLS_BATCH) {
        running.wake();
      }
    }
  }

  @Override
  public boolean isEndRequired() {
    return wanted;
  }

  private void beat() {
    recorder.beat();
    lost.tellDropped(queue.capacity());
  }

  /** Called while an answer is awaited. */
  private void overflow() {
    beat();
    inFlight.overflow();
  }

  /** One round of the background thread: everything that waits goes out. */
  @Override
  public long getAsLong() {
    beat();
    List<CompletableResultCode> served;
    synchronized (rounds) {
      served = List.copyOf(flushes);
    }
    long tooSoonNanos = prompt.isWanted() && served.isEmpty() ? tooSoonNanos() : 0;
    if (tooSoonNanos > 0) {
      return tooSoonNanos;
    }
    inFlight.spillAgain();
    if (served.isEmpty() && queue.size() == 0 && exporter.isResting()) {
      releaseIfEmpty();
      return restNanos();
    }
    prompt.roundBegins();
    queue.measureNext();
    boolean urgent = closing || !served.isEmpty() || !queue.isLow();
    if (!exporter.isReady(urgent, overflow)) {
      return TimeUnit.MILLISECONDS.toNanos(50);
    }
    synchronized (rounds) {
      inRound = true;
    }
    try {
      // As many as there were at the start, so that a steady load cannot keep a round from ending.
      int left = queue.size() + inFlight.heldBack();
      while (left > 0) {
        List<SpanData> batch = inFlight.take();
        if (batch.isEmpty()) {
          break;
        }
        left -= batch.size();
        boolean isSettled = inFlight.send(batch, overflow);
        lost.tellDropped(queue.capacity());
        if (!isSettled) {
          break;
        }
      }
    } finally {
      synchronized (rounds) {
        inRound = false;
        flushes.removeAll(served);
        rounds.notifyAll();
      }
      served.forEach(CompletableResultCode::succeed);
    }
    lost.tellDropped(queue.capacity());
    if (queue.wasAwaited() && !toldAwaited) {
      toldAwaited = true;
      AgentLog.info(
          "spans end faster than they can be exported: threads that end spans sometimes wait");
    }
    boolean isHeldBack = inFlight.heldBack() != 0;
    releaseIfEmpty();
    if (isHeldBack || queue.isShortOfMemory()) {
      return delayNanos;
    }
    return queue.size() >= queue.batchSize() || (closing && queue.size() > 0) ? 0 : restNanos();
  }

  /** The time until the next round, if nothing is due before. */
  private long restNanos() {
    return prompt.isWanted() ? PromptFlush.APART_NANOS : delayNanos;
  }

  /** How long spans of ended tasks may still wait; 0 if they must go out now. */
  private long tooSoonNanos() {
    boolean isHigh = queue.size() >= queue.batchSize() || queue.isHigh();
    return prompt.waitNanos(closing || isHigh ? 0 : delayNanos);
  }

  /**
   * An exporter with a connection is not dropped either: the connection is closed when the exporter
   * rests.
   */
  private void releaseIfEmpty() {
    BackgroundTask running = task;
    if (running != null) {
      running.release();
      boolean isEmpty = queue.size() == 0 && inFlight.isEmpty();
      if (!isEmpty || exporter.mayBeConnected()) {
        running.hold(this);
      }
    }
  }

  /**
   * A task has ended, and the process may be ended once it has returned the result: {@link
   * PromptFlush}.
   */
  public void flushSoon() {
    BackgroundTask running = task;
    if (prompt.taskEnded() && running != null) {
      running.wake();
    }
  }

  /** For a process that may never reach an orderly exit, at which it would say so. */
  public void sayIfNobodyCollects() {
    exporter.sayIfNobodyCollects();
  }

  @Override
  public CompletableResultCode forceFlush() {
    CompletableResultCode flush = new CompletableResultCode();
    synchronized (rounds) {
      if (inFlight.isClosed()) {
        return CompletableResultCode.ofSuccess();
      }
      flushes.add(flush);
    }
    BackgroundTask running = task;
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
   * Empties the queue. Spans that are left at the deadline go to the process's own file. So do
   * later ones, if the JVM is exiting. May be called again.
   *
   * @param atExit whether the JVM is exiting; otherwise the user has ended tracing
   */
  public void close(long deadlineNanos, boolean atExit) {
    ended |= !atExit;
    closing = true;
    exporter.stopReplay();
    BackgroundTask running = task;
    if (running == null) {
      return;
    }
    running.wake();
    synchronized (rounds) {
      while (!inFlight.isClosed() && (inRound || queue.size() > 0 || inFlight.heldBack() != 0)) {
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
      inFlight.close();
      flushes.forEach(CompletableResultCode::succeed);
      flushes.clear();
    }
    inFlight.keepQueue();
    if (atExit) {
      running.stop();
    } else {
      running.stop(exporter::closeExporters);
    }
    lost.tellAll(queue.capacity());
    exporter.close();
  }
}
