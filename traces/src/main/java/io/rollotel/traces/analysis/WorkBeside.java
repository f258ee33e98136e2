package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * When the workers of a run were at work, where steps overlap: a sender may have waited until
 * another step was done with a worker.
 */
final class WorkBeside implements Serializable {

  private final Map<Integer, Stretches> byProcess = new HashMap<>();

  /** What the workers did; drivers only wait for it. */
  WorkBeside(Workers workers) {
    for (Workers.Worker worker : workers.all()) {
      if (!worker.isDriver()) {
        byProcess.put(worker.processNumber(), workers.stretches(worker).summed());
      }
    }
  }

  /**
   * Whether no worker became idle while calls were sent, other than after one of them, and those
   * that received them did nothing else. The first tenth of that time does not count: what ended
   * then explains no later call.
   */
  boolean isAbsent(Spans spans, SentCalls calls) {
    long to = calls.sentNanos(calls.count() - 1);
    long from = calls.sentNanos(0) + Tolerance.nanos(calls.spreadNanos());
    Map<Integer, Stretches> own = own(spans, calls);
    int sender = spans.process(calls.waiting());
    for (Map.Entry<Integer, Stretches> entry : byProcess.entrySet()) {
      int process = entry.getKey();
      Stretches all = entry.getValue();
      Stretches ofCalls = own.get(process);
      boolean isDisturbing =
          ofCalls == null
              ? all.hasEnd(from, to)
              : all.until(to) - all.until(from) > ofCalls.until(to) - ofCalls.until(from);
      if (process != sender && isDisturbing) {
        return false;
      }
    }
    return true;
  }

  /** When each worker was at work for these calls. */
  private static Map<Integer, Stretches> own(Spans spans, SentCalls calls) {
    List<Integer> byStart =
        IntStream.range(0, calls.count())
            .map(calls::receiver)
            .boxed()
            .sorted(Comparator.comparingLong(spans::start))
            .toList();
    Map<Integer, Stretches> own = new HashMap<>();
    for (int span : byStart) {
      own.computeIfAbsent(spans.process(span), none -> new Stretches())
          .add(spans.start(span), spans.end(span));
    }
    return own;
  }
}
