package io.rollotel.traces.report;

import io.rollotel.traces.analysis.Comparison;
import io.rollotel.traces.profile.Cause;
import io.rollotel.traces.profile.RunProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The runs of two reports, and why the second is slower, if both have a profile. */
final class ComparedRuns {

  private final RunReport before;
  private final RunReport after;

  ComparedRuns(RunReport before, RunReport after) {
    this.before = before;
    this.after = after;
  }

  /**
   * What got slower or faster.
   *
   * @throws UncheckedIOException if not all traces of a run are kept
   */
  ComparisonReport report() {
    if (before.totals().steps().leftOut() + after.totals().steps().leftOut() > 0) {
      throw new UncheckedIOException(
          new IOException(
              "One of the runs has so many traces that only the slowest are kept: such runs cannot be"
                  + " compared with less memory. Start it with a larger heap: java -Xmx."));
    }
    Comparison comparison = new Comparison(before.totals(), after.totals());
    return new ComparisonReport(comparison, causes(comparison));
  }

  /** By the names that got slower. Reads no profile if there are none. */
  private Map<String, Cause> causes(Comparison comparison) {
    List<String> slower =
        comparison.changes().stream()
            .filter(change -> change.kind() == Comparison.Kind.NAME && change.isSlower())
            .map(Comparison.Change::name)
            .toList();
    RunProfile profileBefore = slower.isEmpty() ? null : before.profile();
    RunProfile profileAfter = profileBefore == null ? null : after.profile();
    Map<String, Cause> causes = new HashMap<>();
    if (profileBefore != null && profileAfter != null) {
      for (String name : slower) {
        Cause cause = profileAfter.cause(name, profileBefore);
        if (cause != null) {
          causes.put(name, cause);
        }
      }
    }
    return causes;
  }
}
