package io.rollotel.traces.report;

import io.rollotel.traces.file.Span;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiPredicate;

/** What the spans of one run add up to. */
final class RunTotals {

  private record Parent(String traceId, String spanId) {}

  private final String id;
  private long startEpochNanos;
  private long endEpochNanos;
  private long spans;
  private long errors;
  private long endsBeforeStart;

  /** Each trace's id by itself: spans of a trace share the string. */
  private final Map<String, String> traceIds = new HashMap<>();

  private final Map<Parent, Integer> children = new HashMap<>();
  private final Map<ProcessTotals.Key, ProcessTotals> processes = new HashMap<>();
  private final Map<String, NameTotals> names = new HashMap<>();

  RunTotals(String id) {
    this.id = id;
  }

  void add(Span span) {
    spans++;
    if (span.statusCode() == Span.STATUS_ERROR) {
      errors++;
    }
    addTimes(span);
    String traceId = traceIds.computeIfAbsent(span.traceId(), same -> same);
    if (!span.parentSpanId().isEmpty()) {
      children.merge(new Parent(traceId, span.parentSpanId()), 1, Integer::sum);
    }
    processes
        .computeIfAbsent(
            ProcessTotals.key(span.resource()), key -> new ProcessTotals(key, span.resource()))
        .add(span);
  }

  private void addTimes(Span span) {
    long start = span.startEpochNanos();
    long end = span.endEpochNanos();
    if (start != 0 && (startEpochNanos == 0 || Long.compareUnsigned(start, startEpochNanos) < 0)) {
      startEpochNanos = start;
    }
    if (Long.compareUnsigned(end, endEpochNanos) > 0) {
      endEpochNanos = end;
    }
    boolean isBackwards = Long.compareUnsigned(end, start) < 0;
    if (isBackwards) {
      endsBeforeStart++;
    }
    names
        .computeIfAbsent(span.name(), NameTotals::new)
        .add(isBackwards || start == 0 ? 0 : end - start, span.statusCode());
  }

  String id() {
    return id;
  }

  /** The earliest start of a span, 0 where none has one. */
  long startEpochNanos() {
    return startEpochNanos;
  }

  /** From the earliest start to the latest end. */
  long wallNanos() {
    return startEpochNanos == 0 || Long.compareUnsigned(endEpochNanos, startEpochNanos) < 0
        ? 0
        : endEpochNanos - startEpochNanos;
  }

  long spans() {
    return spans;
  }

  long errors() {
    return errors;
  }

  /** Spans whose clock went backwards; their duration is taken for 0. */
  long endsBeforeStart() {
    return endsBeforeStart;
  }

  int traces() {
    return traceIds.size();
  }

  /** The number of spans whose parent is none of those that the predicate knows by their ids. */
  long orphans(BiPredicate<String, String> isKnown) {
    long orphans = 0;
    for (Map.Entry<Parent, Integer> entry : children.entrySet()) {
      if (!isKnown.test(entry.getKey().traceId(), entry.getKey().spanId())) {
        orphans += entry.getValue();
      }
    }
    return orphans;
  }

  Collection<ProcessTotals> processes() {
    return processes.values();
  }

  Collection<NameTotals> names() {
    return names.values();
  }
}
