package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sums of steps. */
final class StepSums implements Serializable {

  private double count;
  private long read;
  private long wallNanos;
  private long restNanos;
  private long virtual;
  private final NameTotals walls = new NameTotals("");
  private final Map<Integer, NameTotals> phases = new HashMap<>();

  void add(Spans spans, Steps.Step step) {
    double weight = spans.weight(step.span());
    count += weight;
    read++;
    wallNanos += NameTotals.times(weight, step.wallNanos());
    restNanos += NameTotals.times(weight, step.restNanos());
    virtual += spans.isVirtual(step.span()) ? 1 : 0;
    walls.add(weight, step.wallNanos(), 0, false);
    for (Steps.PhaseTime phase : step.phases()) {
      phases
          .computeIfAbsent(phase.name(), name -> new NameTotals(""))
          .add(weight, phase.nanos(), 0, false);
    }
  }

  void add(StepSums part, int mostExact) {
    count += part.count;
    read += part.read;
    wallNanos += part.wallNanos;
    restNanos += part.restNanos;
    virtual += part.virtual;
    walls.add(part.walls, mostExact);
    NameTotals.addAll(phases, part.phases, mostExact);
  }

  /** How many steps the sampled ones represent. */
  long count() {
    return Math.round(count);
  }

  /** How many were read. */
  long read() {
    return read;
  }

  long wallNanos() {
    return wallNanos;
  }

  long restNanos() {
    return restNanos;
  }

  /** How many are not in the files. */
  long virtual() {
    return virtual;
  }

  long medianWallNanos() {
    return walls.percentile(50);
  }

  /** The one with the most time first. */
  List<Steps.Phase> phases(Spans spans) {
    List<Steps.Phase> all = new ArrayList<>();
    phases.forEach(
        (name, totals) ->
            all.add(
                new Steps.Phase(
                    name,
                    totals.count(),
                    totals.totalNanos(),
                    totals.percentile(50),
                    totals.percentile(100))));
    all.sort(
        (a, b) ->
            a.totalNanos() != b.totalNanos()
                ? Long.compare(b.totalNanos(), a.totalNanos())
                : spans.names().text(a.name()).compareTo(spans.names().text(b.name())));
    return all;
  }
}
