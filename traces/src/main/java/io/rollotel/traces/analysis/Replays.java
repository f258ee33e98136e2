package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;

/** The results of replaying steps for each {@link WhatIf}, and the spans that show them. */
final class Replays implements Serializable {

  /** The fan-outs in which a process has the most work. */
  static final class Most implements Serializable {
    int fanOuts;
    private long calls;
    private long ofCalls;

    /** Its share of their calls. */
    double shareOfCalls() {
      return (double) calls / ofCalls;
    }
  }

  /** How much the last workers exceeded the mean in the fan-outs of one name. */
  static final class Uneven implements Serializable {
    final int name;
    long nanos;
    int fanOuts;
    private long processes;
    private final Longest worst;

    /** By process. */
    private final Map<Integer, Most> most = new TreeMap<>();

    private Uneven(Spans spans, int name) {
      this.name = name;
      this.worst = new Longest(spans);
    }

    int worst() {
      return worst.span();
    }

    /** How many processes take part in a fan-out, on average. */
    double processes() {
      return (double) processes / fanOuts;
    }

    /** The process that has the most work most often, and the fan-outs in which it has. */
    Map.Entry<Integer, Most> mostOften(Spans spans) {
      return most.entrySet().stream()
          .min(
              Comparator.<Map.Entry<Integer, Most>>comparingInt(one -> -one.getValue().fanOuts)
                  .thenComparing(one -> spans.processes().get(one.getKey()), TracedProcess.ORDER))
          .orElseThrow();
    }

    private void see(long overNanos, FanOutWork work, int last) {
      nanos += overNanos;
      fanOuts++;
      processes += work.count();
      worst.see(overNanos, work.longest(last));
      Most ofLast = most.computeIfAbsent(last, none -> new Most());
      ofLast.fanOuts++;
      ofLast.calls += work.calls(last);
      for (int i = 0; i < work.count(); i++) {
        ofLast.ofCalls += work.calls(work.process(i));
      }
    }

    private void add(Uneven part, RowCopies copies) {
      nanos += part.nanos;
      fanOuts += part.fanOuts;
      processes += part.processes;
      worst.add(part.worst, copies);
      part.most.forEach(
          (process, other) -> {
            Most sum = most.computeIfAbsent(process, none -> new Most());
            sum.fanOuts += other.fanOuts;
            sum.calls += other.calls;
            sum.ofCalls += other.ofCalls;
          });
    }
  }

  private final Spans spans;
  private final long[] saved;

  /** For each question about sends, the cases that other steps do not explain. */
  private final long[] undisturbed;

  private final Map<Integer, Uneven> uneven = new TreeMap<>();

  /** For each question, the spans that show it best, and their values. */
  private final List<Map<Integer, Long>> evidence = new ArrayList<>();

  /** Of no step yet. */
  Replays(Spans spans, int questions) {
    this.spans = spans;
    this.saved = new long[questions];
    this.undisturbed = new long[questions];
    for (int i = 0; i < questions; i++) {
      evidence.add(new TreeMap<>());
    }
  }

  /** Adds those of other steps, which were asked the same questions. */
  void add(Replays part, RowCopies copies) {
    for (int i = 0; i < saved.length; i++) {
      saved[i] += part.saved[i];
      undisturbed[i] += part.undisturbed[i];
      Map<Integer, Long> known = evidence.get(i);
      part.evidence.get(i).forEach((span, value) -> known.put(copies.of(span), value));
      cut(known);
    }
    part.uneven.forEach(
        (name, other) ->
            uneven.computeIfAbsent(name, none -> new Uneven(spans, none)).add(other, copies));
  }

  void seeUndisturbed(int question, long cases) {
    undisturbed[question] += cases;
  }

  /** In how many cases no other step may be why calls were sent when they were. */
  long undisturbed(int question) {
    return undisturbed[question];
  }

  void save(int question, long nanos) {
    saved[question] += nanos;
  }

  /**
   * Adds a fan-out.
   *
   * @param last the process with the most work, which exceeds the mean by so much
   */
  void fanOut(int name, long overNanos, FanOutWork work, int last) {
    uneven.computeIfAbsent(name, none -> new Uneven(spans, none)).see(overNanos, work, last);
  }

  /** Keeps the spans with the largest positive values. */
  void evidence(int question, int[] members, IntToLongFunction value) {
    Map<Integer, Long> known = evidence.get(question);
    int last = -1; // of the kept spans, if there is no room for more
    for (int span : members) {
      long of = value.applyAsLong(span);
      if (of > 0 && (last < 0 || order(known, of, span, last) < 0)) {
        known.put(span, of);
        cut(known);
        last = known.size() < Findings.EVIDENCE ? -1 : best(known).get(Findings.EVIDENCE - 1);
      }
    }
  }

  private int order(Map<Integer, Long> known, long value, int span, int other) {
    int order = Long.compare(known.getOrDefault(other, 0L), value);
    return order != 0 ? order : spans.compare(span, other);
  }

  private void cut(Map<Integer, Long> known) {
    for (int last : best(known).stream().skip(Findings.EVIDENCE).toList()) {
      known.remove(last);
    }
  }

  private List<Integer> best(Map<Integer, Long> known) {
    return known.keySet().stream()
        .sorted((a, b) -> order(known, known.getOrDefault(a, 0L), a, b))
        .toList();
  }

  /** The answer. */
  long saved(int question) {
    return saved[question];
  }

  /** The spans that show it, the clearest first. */
  List<Integer> evidence(int question) {
    return best(evidence.get(question));
  }

  /** The name whose work is shared out least evenly, when slow workers are as fast as others. */
  Optional<Uneven> mostUneven() {
    return uneven.values().stream()
        .max(
            Comparator.<Uneven>comparingLong(one -> one.nanos)
                .thenComparing(one -> spans.names().text(one.name), Comparator.reverseOrder()));
  }
}
