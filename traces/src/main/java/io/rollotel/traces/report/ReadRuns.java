package io.rollotel.traces.report;

import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.FoundTraces;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.spans.SpanTags;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The runs of the files that were read, all their spans in memory, or only some at a time. */
interface ReadRuns {

  /** The latest first. */
  List<FoundRun> all();

  /** The totals of a run. */
  RunTotals totals(FoundRun run);

  /** The traces whose ids begin with some digits. */
  FoundTraces find(FoundRun run, String prefix);

  /**
   * The part of a run that contains the trace with this id. Only if not all spans are in memory.
   *
   * @return null if the run has no such trace
   */
  @Nullable RunAnalysis withTrace(FoundRun run, String traceId);

  /** The result of some work on all traces of a run. Only if not all spans are in memory. */
  <T> T each(FoundRun run, RunWork<T> work);

  /**
   * Chosen traces of a run. Only if not all spans are in memory.
   *
   * @param tags receives the attributes of their spans
   */
  RunAnalysis traces(FoundRun run, Set<String> traceIds, SpanTags tags);

  /** Whether {@link #inMemory} may be called. */
  boolean areInMemory();

  /** Analyses a run whose spans are all in memory; again with each call. */
  RunAnalysis inMemory(FoundRun run);
}
