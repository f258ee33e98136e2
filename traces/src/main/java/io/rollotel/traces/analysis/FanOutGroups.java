package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Spans of one name in several processes, by the nearest span that waited for all of them.
 *
 * <p>That need not be their parent: between the two there may be the sender's span of each call, a
 * span for each attempt, or one for each rank. So every span that runs in another process than its
 * parent is looked for from its parent upwards, as far as its step. What the receiver's span of a
 * call did in a single span of its process has the name of that one, which is the same however the
 * call came.
 */
final class FanOutGroups {

  /** Takes the groups. */
  interface Sink {
    /**
     * A group.
     *
     * @param group two spans or more, the receiver's from then on
     */
    void group(int waiting, int[] group);
  }

  /** In place of a process. */
  private static final int SEVERAL = -2;

  private static final class Group {
    private int[] spans = new int[4];
    private int count;

    void add(int span) {
      if (count == spans.length) {
        spans = Arrays.copyOf(spans, 2 * count);
      }
      spans[count++] = span;
    }
  }

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;
  private final StepUnits units;

  // Of one trace, by the span that waited and the name.

  /** The process that was seen, or {@link #SEVERAL}. */
  private final Map<Long, Integer> processes = new HashMap<>();

  private final Map<Long, Group> groups = new LinkedHashMap<>();

  FanOutGroups(Spans spans, SpanTree tree, SpanTree waits, StepUnits units) {
    this.spans = spans;
    this.tree = tree;
    this.waits = waits;
    this.units = units;
  }

  /**
   * Finds all groups of a run.
   *
   * @param members the run's spans in the tree's order
   */
  void find(int[] members, Sink sink) {
    int from = 0;
    for (int i = 1; i <= members.length; i++) {
      if (i == members.length || spans.trace(members[i]) != spans.trace(members[from])) {
        ofTrace(members, from, i, sink);
        from = i;
      }
    }
  }

  private void ofTrace(int[] members, int from, int to, Sink sink) {
    int remote = 0;
    for (int i = from; i < to; i++) {
      remote += isRemote(members[i]) ? 1 : 0;
    }
    if (remote == 0) {
      return;
    }
    for (int i = from; i < to; i++) {
      if (isRemote(members[i])) {
        look(members[i]);
      }
    }
    for (int i = from; i < to; i++) {
      lookBeside(members[i]);
    }
    for (int i = from; i < to; i++) {
      put(members[i]);
    }
    groups.forEach(
        (key, group) ->
            sink.group((int) (key >> Integer.SIZE), Arrays.copyOf(group.spans, group.count)));
    processes.clear();
    groups.clear();
  }

  /** Whether somebody waited for the span who is in another process. */
  private boolean isRemote(int span) {
    int parent = tree.above(span);
    return parent >= 0
        && spans.process(parent) != spans.process(span)
        && waits.above(span) >= 0
        && spans.isTimed(span);
  }

  /** Leaves the process with all who waited, up to the one where another was seen. */
  private void look(int span) {
    int work = work(span);
    int process = spans.process(span);
    for (int at = waits.above(span); at >= 0; at = above(at)) {
      Integer seen = processes.putIfAbsent(key(at, work), process);
      if (seen != null && seen != process) {
        processes.put(key(at, work), SEVERAL);
        return;
      }
    }
  }

  /** A span in the process of its parent, whose siblings are elsewhere, is one of them. */
  private void lookBeside(int span) {
    int waiting = waits.above(span);
    if (waiting >= 0 && !isRemote(span) && spans.isTimed(span)) {
      processes.computeIfPresent(
          key(waiting, span), (key, seen) -> seen == spans.process(span) ? seen : SEVERAL);
    }
  }

  private void put(int span) {
    if (waits.above(span) < 0 || !spans.isTimed(span)) {
      return;
    }
    if (!isRemote(span)) {
      add(waits.above(span), span);
      return;
    }
    int work = work(span);
    for (int at = waits.above(span); at >= 0; at = above(at)) {
      if (add(at, work)) {
        return;
      }
    }
  }

  private boolean add(int waiting, int span) {
    Integer seen = processes.get(key(waiting, span));
    boolean isGroup = seen != null && seen == SEVERAL;
    if (isGroup) {
      groups.computeIfAbsent(key(waiting, span), none -> new Group()).add(span);
    }
    return isGroup;
  }

  private int above(int span) {
    return units.isStep(span) ? SpanTree.NONE : waits.above(span);
  }

  private long key(int waiting, int span) {
    return (long) waiting << Integer.SIZE | spans.name(span);
  }

  /** What was done for a call; the span itself where that is not a single one. */
  private int work(int span) {
    int work = span;
    while ((spans.kind(work) == Span.SERVER || spans.kind(work) == Span.CONSUMER)
        && tree.childCount(work) == 1
        && spans.process(tree.child(work, 0)) == spans.process(work)) {
      work = tree.child(work, 0);
    }
    return work;
  }
}
