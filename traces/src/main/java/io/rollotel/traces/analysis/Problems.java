package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.List;

/** Failed spans of a run, and what is missing or impossible in its files. */
public final class Problems {

  /** A trace without a root, whose first span by time is given, and how many spans it has. */
  public record Unended(int trace, int firstSpan, int spans) {}

  /** How many traces without a root are listed one by one. */
  private static final int LISTED = 10;

  private final Failures failures;
  private final List<Unended> firstUnended = new ArrayList<>();
  private long traces;
  private double standsForTraces;
  private double standsForSpans;
  private long orphans;
  private long backwards;
  private long untimed;
  private long misdated;
  private long unended;

  /**
   * Looks through a run.
   *
   * @param members the run's spans in the tree's order
   */
  Problems(Spans spans, SpanTree tree, int[] members) {
    this.failures = new Failures(spans, tree, members);
    for (int from = 0; from < members.length; ) {
      int to = from;
      int top = members[from];
      boolean hasRoot = false;
      while (to < members.length && spans.trace(members[to]) == spans.trace(members[from])) {
        int span = members[to++];
        if (!hasRoot && tree.parent(span) == SpanTree.NONE) {
          hasRoot = true;
          top = span;
        }
        standsForSpans += spans.weight(span);
        span(spans, span, tree);
      }
      standsForTraces += spans.weight(top); // another end of a call may stand for fewer
      trace(spans.trace(top), tree, members[from], to - from, hasRoot);
      from = to;
    }
  }

  private void span(Spans spans, int span, SpanTree tree) {
    orphans += tree.parent(span) == SpanTree.UNKNOWN ? 1 : 0;
    backwards += spans.isBackwards(span) ? 1 : 0;
    misdated += spans.isMisdated(span) ? 1 : 0;
    untimed += spans.isTimed(span) || spans.isMisdated(span) ? 0 : 1;
  }

  private void trace(int trace, SpanTree tree, int first, int count, boolean hasRoot) {
    traces++;
    if (!hasRoot && !hasRootInAnotherRun(tree, trace)) {
      unended++;
      if (firstUnended.size() < LISTED) {
        firstUnended.add(new Unended(trace, first, count));
      }
    }
  }

  private static boolean hasRootInAnotherRun(SpanTree tree, int trace) {
    for (int top : tree.tops(trace)) {
      if (tree.parent(top) == SpanTree.NONE) {
        return true;
      }
    }
    return false;
  }

  /** The most frequent first. */
  public List<Failures.Failure> failures() {
    return failures.all();
  }

  /** The first few traces without a root. */
  public List<Unended> firstUnended() {
    return firstUnended;
  }

  public long traces() {
    return traces;
  }

  /** For how many traces those stand that were read. */
  public long standsForTraces() {
    return Math.round(standsForTraces);
  }

  /** For how many spans those stand that were read. */
  public long standsForSpans() {
    return Math.round(standsForSpans);
  }

  /** Spans that failed. */
  public long errors() {
    return failures.failed();
  }

  /** Those of them that did not see the failure of a child. */
  public long errorsBegun() {
    return failures.began();
  }

  /** Spans whose parent was not read. */
  public long orphans() {
    return orphans;
  }

  /** Spans whose clock went backwards; their duration is taken for 0. */
  public long backwards() {
    return backwards;
  }

  /** Spans without usable times. */
  public long untimed() {
    return untimed;
  }

  /** Spans whose times were years away from those of the run, and were taken away. */
  public long misdated() {
    return misdated;
  }

  /** Traces without a root: it was lost, or had not ended. */
  public long unended() {
    return unended;
  }
}
