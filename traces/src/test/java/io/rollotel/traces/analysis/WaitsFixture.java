package io.rollotel.traces.analysis;

import io.rollotel.traces.kit.Planted;
import java.util.List;
import java.util.Random;

/** Spans at random times, in milliseconds, and what they are found to wait for. */
abstract class WaitsFixture {

  static final long MILLI = 1_000_000;

  final Planted planted = new Planted().inUnitsOf(MILLI / 100);
  final Random random = new Random(1);

  long span(long trace, long parent, String name, String process, double from, double to) {
    return planted.span(trace, parent, name, process, Math.round(100 * from), Math.round(100 * to));
  }

  double between(double least, double most) {
    return least + (most - least) * random.nextDouble();
  }

  static List<Finding> waits(RunAnalysis run) {
    return run.findings().stream()
        .filter(finding -> finding.kind() == Finding.Kind.WAITS_FOR)
        .toList();
  }
}
