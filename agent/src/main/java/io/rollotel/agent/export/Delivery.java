package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.span.RecorderSpanProcessor;
import io.rollotel.traces.file.RunBytes;
import java.util.List;

/**
 * Hands batches of ended spans to the exporter or to the process's own file, and counts each span
 * once. For the export thread, and for the thread that closes the queue.
 */
final class Delivery {

  private final FallbackExporter exporter;
  private final Ledger ledger;
  private final Recorder recorder;
  private final LostSpans lost;
  private final RunLimit limit;

  Delivery(
      FallbackExporter exporter, Ledger ledger, Recorder recorder, LostSpans lost, RunLimit limit) {
    this.exporter = exporter;
    this.ledger = ledger;
    this.recorder = recorder;
    this.lost = lost;
    this.limit = limit;
  }

  /**
   * Exports a batch, without counting it.
   *
   * @param meanwhile is called while an answer is awaited
   * @throws OutOfMemoryError if memory is too short to export the batch or to write it
   */
  Outcome deliver(List<SpanData> batch, Runnable meanwhile) {
    try {
      return exporter.deliver(batch, meanwhile);
    } catch (RuntimeException | LinkageError e) {
      AgentLog.warnOnce("an exporter failed; its spans go to the process's own file: " + e);
      return exporter.toOwnFile(batch);
    }
  }

  /**
   * Writes spans to the own file one by one, if memory never sufficed for all of them: one failure
   * costs no other span.
   */
  Outcome oneByOne(List<SpanData> batch) {
    Outcome all = Outcome.kept(List.of());
    for (SpanData span : batch) {
      try {
        all = all.and(exporter.toOwnFile(List.of(span)));
      } catch (OutOfMemoryError e) {
        all = all.and(Outcome.lost(List.of(span)));
        warn("a span for which there is never enough memory is lost: ", e);
      }
    }
    return all;
  }

  /**
   * Writes to the own file for the last time: spans that it does not take are lost, and counted.
   */
  void keep(List<SpanData> batch) {
    Outcome outcome;
    try {
      outcome = exporter.toOwnFile(batch);
    } catch (RuntimeException | Error e) {
      lost.lose(batch.size()); // before anything that needs memory
      warn("spans could not be written to the process's own file: ", e);
      return;
    }
    count(outcome);
    lost.lose(outcome.held().size());
  }

  /** Counts each span once. Lost spans stay in the recorder, from which they may be recovered. */
  void count(Outcome outcome) {
    lost.lose(outcome.lost().size()); // first, because this is the most important count
    if (!exporter.isNone()) {
      ledger.exported(outcome.delivered().size());
    }
    ledger.kept(outcome.kept().size());
    RecorderSpanProcessor.exported(recorder, outcome.delivered());
    RecorderSpanProcessor.exported(recorder, outcome.kept());
  }

  /**
   * Counts spans by their names. Callers that take spans out of the queue store them before this
   * call, because nobody else holds them and this may fail for lack of memory.
   */
  void countByName(List<SpanData> batch) {
    try {
      limit.count(batch);
    } catch (RuntimeException | OutOfMemoryError e) {
      debug("spans are not counted by their names: ", e);
    }
  }

  /**
   * Thins out new traces if the run's files have grown.
   *
   * @param waiting spans that are not written yet
   */
  void followLimit(int waiting) {
    if (exporter.isNone()) {
      return;
    }
    try {
      RunBytes runBytes = exporter.runBytes();
      if (runBytes != null) {
        limit.follow(runBytes, exporter.isWrittenHere() ? waiting : 0);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      debug("the size of the run's files is not known: ", e);
    }
  }

  /** If memory is short, composing the line may fail as well, and must not end the round. */
  private static void debug(String what, Throwable failure) {
    try {
      AgentLog.debug(what + failure);
    } catch (RuntimeException | Error noMemory) {
      // Nothing depends on it.
    }
  }

  /** If memory is short, the warning may fail as well, and must not cost the batch. */
  private static void warn(String what, Throwable failure) {
    try {
      AgentLog.warnOnce(what + failure);
    } catch (RuntimeException | Error noMemory) {
      // The spans are counted.
    }
  }
}
