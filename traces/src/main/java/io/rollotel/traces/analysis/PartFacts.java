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

  /** The number of a run's spans, and the recorded start and end of each of its processes. */
  static final class Extent implements Serializable {
    long spans;
    final Map<Integer, Long> starts = new HashMap<>();
    final Map<Integer, Long> ends = new HashMap<>();

    private void add(Extent part) {
      spans += part.spans;
      part.ends.forEach((process, end) -> ends.merge(process, end, Math::max));
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
          extent.ends.merge(spans.process(span), spans.end(span), Math::max);
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
