package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Failed spans of a run, and missing or impossible data in its files. */
public final class Problems implements Serializable {

  /** A trace without a root, whose first span by time is given, and how many spans it has. */
  public record Unended(int firstSpan, int spans) implements Serializable {}

  private record LastFirst(Spans spans) implements Comparator<Unended>, Serializable {
    @Override
    public int compare(Unended a, Unended b) {
      return spans.compare(b.firstSpan, a.firstSpan);
    }
  }

  /** How many traces without a root are listed one by one. */
  private static final int LISTED = 10;

  private final Spans spans;
  private final Failures failures;
  private final LastFirst lastFirst;
  private final PriorityQueue<Unended> firstUnended;
  private long traces;
  private final ThinnedCount standsForTraces = new ThinnedCount();
  private final ThinnedCount standsForSpans = new ThinnedCount();
  private long orphans;
  private long backwards;
  private long untimed;
  private long misdated;
  private long unended;
  private long rings;

  private Problems(Spans spans, Failures failures) {
    this.spans = spans;
    this.failures = failures;
    this.lastFirst = new LastFirst(spans);
    this.firstUnended = new PriorityQueue<>(lastFirst);
  }

  /** None yet. */
  Problems(Spans spans) {
    this(spans, new Failures(spans));
  }

  /**
   * Looks through a run.
   *
   * @param members the run's spans in the tree's order
   */
  Problems(Spans spans, SpanTree tree, int[] members) {
    this(spans, new Failures(spans, tree, members));
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
        standsForSpans.add(spans.weight(span));
        span(span, tree);
      }
      standsForTraces.add(spans.weight(top)); // the other end of a call may represent fewer
      standsForTraces.endTrace();
      standsForSpans.endTrace();
      trace(spans.trace(top), tree, members[from], to - from, hasRoot);
      from = to;
    }
  }

  private void span(int span, SpanTree tree) {
    rings += tree.isCut(span) ? 1 : 0;
    orphans += tree.parent(span) == SpanTree.UNKNOWN ? 1 : 0;
    backwards += spans.isBackwards(span) ? 1 : 0;
    misdated += spans.isMisdated(span) ? 1 : 0;
    untimed += spans.isTimed(span) || spans.isMisdated(span) ? 0 : 1;
  }

  private void trace(int trace, SpanTree tree, int first, int count, boolean hasRoot) {
    traces++;
    if (!hasRoot && !hasRootInAnotherRun(tree, trace)) {
      unended++;
      unended(new Unended(first, count));
    }
  }

  private void unended(Unended trace) {
    firstUnended.add(trace);
    if (firstUnended.size() > LISTED) {
      firstUnended.remove();
    }
  }

  void add(Problems part, RowCopies copies) {
    failures.add(part.failures, copies);
    for (Unended trace : part.firstUnended) {
      unended(new Unended(copies.of(trace.firstSpan), trace.spans));
    }
    traces += part.traces;
    standsForTraces.add(part.standsForTraces);
    standsForSpans.add(part.standsForSpans);
    orphans += part.orphans;
    backwards += part.backwards;
    untimed += part.untimed;
    misdated += part.misdated;
    unended += part.unended;
    rings += part.rings;
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
    return firstUnended.stream().sorted(lastFirst.reversed()).toList();
  }

  /** Rings of spans that were each other's ancestors. */
  public long rings() {
    return rings;
  }

  public long traces() {
    return traces;
  }

  /** How many traces the sampled ones represent. */
  public long standsForTraces() {
    return standsForTraces.count();
  }

  /** The 95 % confidence interval of the number of all traces. */
  public ThinnedCount.Interval allTraces() {
    return standsForTraces.interval();
  }

  /** How many spans the sampled ones represent. */
  public long standsForSpans() {
    return standsForSpans.count();
  }

  /** The 95 % confidence interval of the number of all spans. */
  public ThinnedCount.Interval allSpans() {
    return standsForSpans.interval();
  }

  /** Spans that failed. */
  public long errors() {
    return failures.failed();
  }

  /** The failed spans that did not just pass on a child's failure. */
  public long errorsBegun() {
    return failures.began();
  }

  /** Spans whose parent was not read. */
  public long orphans() {
    return orphans;
  }

  /** Spans whose clock went backwards; their duration counts as 0. */
  public long backwards() {
    return backwards;
  }

  /** Spans without usable times. */
  public long untimed() {
    return untimed;
  }

  /** Spans whose times were years away from those of the run, and were removed. */
  public long misdated() {
    return misdated;
  }

  /** Traces without a root: it was lost, or had not ended. */
  public long unended() {
    return unended;
  }
}
