package io.rollotel.traces.report;

import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.report.RunReport.Run;
import io.rollotel.traces.spans.SpanTags;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs with only some traces in memory at a time. */
final class RunsInParts implements ReadRuns {

  private final PartedRuns parted;
  private final List<Run> runs;

  RunsInParts(PartedRuns parted) {
    this.parted = parted;
    this.runs =
        parted.runs().stream()
            .map(
                run ->
                    new Run(
                        run.number(),
                        run.id(),
                        run.startEpochNanos(),
                        run.endEpochNanos(),
                        run.spans(),
                        run.hasSteps(),
                        run.with()))
            .sorted(Run.LATEST_FIRST)
            .toList();
  }

  @Override
  public List<Run> all() {
    return runs;
  }

  @Override
  public RunTotals totals(Run run) {
    try {
      return parted.totals(run.number());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable RunAnalysis withTrace(Run run, String traceId) {
    try {
      return parted.find(run.number(), traceId);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public <T> T each(Run run, RunWork<T> work) {
    try {
      return parted.each(run.number(), work);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public RunAnalysis traces(Run run, Set<String> traceIds, SpanTags tags) {
    try {
      return parted.traces(run.number(), traceIds, tags);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean areInMemory() {
    return false;
  }

  @Override
  public RunAnalysis inMemory(Run run) {
    throw new IllegalStateException("the spans of run " + run.id() + " are not all in memory");
  }
}
