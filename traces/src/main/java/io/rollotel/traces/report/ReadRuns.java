package io.rollotel.traces.report;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.report.RunReport.Run;
import io.rollotel.traces.spans.SpanTags;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The runs of the files that were read, all their spans in memory, or only some at a time. */
interface ReadRuns {

  /** The latest first. */
  List<Run> all();

  /** What a run adds up to. */
  RunTotals totals(Run run);

  /**
   * The part of a run that has the trace whose id begins with this text. Only if not all spans are
   * in memory.
   *
   * @return null if the run has no such trace
   */
  @Nullable RunAnalysis withTrace(Run run, String traceId);

  /** The result of some work on all traces of a run. Only where not all is in memory. */
  <T> T each(Run run, RunWork<T> work);

  /**
   * Chosen traces of a run. Only where not all is in memory.
   *
   * @param tags takes the attributes of their spans
   */
  RunAnalysis traces(Run run, Set<String> traceIds, SpanTags tags);

  /** Whether {@link #inMemory} may be called. */
  boolean areInMemory();

  /** Analyses a run whose spans are all in memory; anew with each call. */
  RunAnalysis inMemory(Run run);
}
