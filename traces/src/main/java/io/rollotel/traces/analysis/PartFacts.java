package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.RunDates;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Facts about all traces that are needed before one of them can be analysed, except for numbers.
 */
final class PartFacts implements Serializable {

  /** The number of a run's spans, its recorded end, and that of the start of each process. */
  static final class Extent implements Serializable {
    long spans;
    long end;
    final Map<Integer, Long> starts = new HashMap<>();

    private void add(Extent part) {
      spans += part.spans;
      end = Math.max(end, part.end);
      part.starts.forEach((process, start) -> starts.merge(process, start, Math::min));
    }
  }

  final RunDates dates = new RunDates();
  final ClockCorrection clocks;
  final Map<Integer, RunShape> shapes = new TreeMap<>();
  final Map<Integer, Extent> extents = new TreeMap<>();

  /** The other ids of each run's spans. */
  final Map<Integer, BitSet> otherIds = new HashMap<>();

  PartFacts(ClockCorrection clocks) {
    this.clocks = clocks;
  }

  void add(PartFacts part) {
    dates.add(part.dates);
    clocks.addStarts(part.clocks);
    part.shapes.forEach(
        (run, shape) -> shapes.computeIfAbsent(run, none -> new RunShape()).add(shape));
    part.extents.forEach(
        (run, extent) -> extents.computeIfAbsent(run, none -> new Extent()).add(extent));
    part.otherIds.forEach(
        (run, ids) -> otherIds.computeIfAbsent(run, none -> new BitSet()).or(ids));
  }

  /** Looks at spans that have their final times. */
  void see(Spans spans, String stepName) {
    for (int span = 0; span < spans.size(); span++) {
      if (!spans.isVirtual(span)) {
        Extent extent = extents.computeIfAbsent(spans.run(span), run -> new Extent());
        extent.spans++;
        if (spans.isTimed(span)) {
          extent.starts.merge(spans.process(span), spans.start(span), Math::min);
          extent.end = Math.max(extent.end, spans.end(span));
        }
      }
    }
    for (int run : extents.keySet()) {
      shapes.put(run, RunShape.of(spans, run, stepName));
    }
  }

  /** What counts as a step of a run. */
  RunShape shape(int run) {
    return shapes.getOrDefault(run, new RunShape());
  }
}
