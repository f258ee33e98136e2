package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Chooses the traces of a run that a page shows span by span, if it cannot show all: the wanted
 * ones, and a uniform random sample of the others. The choice does not depend on the order of
 * reading.
 */
final class TraceChoice implements Serializable {

  private static final int SAMPLE = 1_000;

  /** A trace, and the number that decides its place in a sample. */
  private record Sampled(long place, String traceId, int spans)
      implements Comparable<Sampled>, Serializable {
    @Override
    public int compareTo(Sampled other) {
      int order = Long.compare(place, other.place);
      return order != 0 ? order : traceId.compareTo(other.traceId);
    }
  }

  /** The numbers of spans of the traces wanted by id. */
  private final Map<String, Integer> wanted = new HashMap<>();

  /** The first ones by their place, the last of them first. */
  private final PriorityQueue<Sampled> sample = new PriorityQueue<>(Collections.reverseOrder());

  private long traces;

  /** An empty choice. */
  TraceChoice() {}

  /** Looks at some of the run's traces. */
  TraceChoice(RunAnalysis run, Set<String> wantedIds) {
    Spans spans = run.spans();
    int[] members = run.members();
    for (int from = 0; from < members.length; ) {
      int trace = spans.trace(members[from]);
      int to = from;
      while (to < members.length && spans.trace(members[to]) == trace) {
        to++;
      }
      see(spans.traceId(trace), to - from, wantedIds);
      from = to;
    }
  }

  private void see(String traceId, int spans, Set<String> wantedIds) {
    traces++;
    if (wantedIds.contains(traceId)) {
      wanted.put(traceId, spans);
    }
    sample(new Sampled(place(traceId), traceId, spans));
  }

  private void sample(Sampled trace) {
    sample.add(trace);
    if (sample.size() > SAMPLE) {
      sample.remove();
    }
  }

  private static long place(String traceId) {
    return lot(HexIds.toLong(traceId, 0) * 31 + HexIds.toLong(traceId, 16));
  }

  /** Pseudo-random, but always the same for the same number. */
  static long lot(long number) {
    long mixed = (number ^ (number >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /** Adds the candidates among other traces. */
  void add(TraceChoice other) {
    traces += other.traces;
    wanted.putAll(other.wanted);
    other.sample.forEach(this::sample);
  }

  /** Also adds a wanted trace that is known from elsewhere, with this many spans. */
  void want(String traceId, int spans) {
    wanted.put(traceId, spans);
  }

  /** How many were looked at. */
  long traces() {
    return traces;
  }

  /**
   * Chooses.
   *
   * @param named by id, the most important first; each must have been wanted
   * @param further more of them, which get half of the remaining room
   * @param maxSpans the limit for all chosen traces together; larger ones are skipped
   */
  Set<String> chosen(List<String> named, List<String> further, long maxSpans) {
    Set<String> chosen = new HashSet<>();
    long left = take(named, maxSpans, chosen);
    left = left / 2 + take(further, left - left / 2, chosen);
    for (Sampled trace : sample.stream().sorted().toList()) {
      if (trace.spans <= left && chosen.add(trace.traceId)) {
        left -= trace.spans;
      }
    }
    take(further, left, chosen);
    return chosen;
  }

  /** Returns the remaining room. */
  private long take(List<String> ids, long maxSpans, Set<String> chosen) {
    long left = maxSpans;
    for (String id : ids) {
      int spans = wanted.getOrDefault(id, Integer.MAX_VALUE);
      if (spans <= left && chosen.add(id)) {
        left -= spans;
      }
    }
    return left;
  }
}
