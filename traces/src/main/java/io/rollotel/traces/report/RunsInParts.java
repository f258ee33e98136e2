package io.rollotel.traces.report;

import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.FoundTraces;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.spans.SpanTags;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs with only some traces in memory at a time. */
final class RunsInParts implements ReadRuns {

  private final PartedRuns parted;
  private final List<FoundRun> runs;

  RunsInParts(PartedRuns parted) {
    this.parted = parted;
    this.runs = parted.runs();
  }

  @Override
  public List<FoundRun> all() {
    return runs;
  }

  @Override
  public RunTotals totals(FoundRun run) {
    try {
      return parted.totals(run.number());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FoundTraces find(FoundRun run, String prefix) {
    try {
      return parted.find(run.number(), prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable RunAnalysis withTrace(FoundRun run, String traceId) {
    try {
      return parted.withTrace(run.number(), traceId);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public <T> T each(FoundRun run, RunWork<T> work) {
    try {
      return parted.each(run.number(), work);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public RunAnalysis traces(FoundRun run, Set<String> traceIds, SpanTags tags) {
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
  public RunAnalysis inMemory(FoundRun run) {
    throw new IllegalStateException("the spans of run " + run.id() + " are not all in memory");
  }
}
