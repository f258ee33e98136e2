package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Spans of one name that several processes executed at once, grouped by the nearest span that
 * waited for them.
 *
 * <p>That need not be their parent: in between, there may be the sender's span of each call, a span
 * for each attempt, or one for each rank. So every span whose parent is in another process is
 * passed up from the span that waited for it to the one that waited for that, until it meets others
 * with its name, at most up to its step. If the receiver's span of a call did its work in a single
 * span of its process, it gets the name of that span, which is the same however the call arrived.
 */
final class FanOutGroups {

  /** Takes the groups. */
  interface Sink {
    /**
     * A group.
     *
     * @param group a group of two processes or more, which the receiver owns
     * @param calls the same, as they were sent
     */
    void group(int waiting, int[] group, SentCalls calls);

    /** All calls of a name that a span waited for, in two processes or more; each call once. */
    void calls(SentCalls calls);
  }

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

  /** A span, and the waiting spans above it. */
  private static final class Waiting {
    private final int span;
    private final Map<Integer, Group> byName = new LinkedHashMap<>();

    Waiting(int span) {
      this.span = span;
    }
  }

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;
  private final StepUnits units;
  private final SentTimes sentTimes;
  private final WaitedSpans waited;
  private final Sink sink;

  /** How many spans wait for a span, in a chain; computed on demand. */
  private int[] depths = {};

  /**
   * The position of a span if each is followed by its descendants, and the position of the next
   * one.
   */
  private int[] first = {};

  private int[] last = {};

  /** The spans that the sink has as calls. */
  private final BitSet known = new BitSet();

  /** The waiting spans of one trace, by their numbers and by their depths. */
  private final Map<Integer, Waiting> waiting = new HashMap<>();

  private final List<List<Waiting>> atDepth = new ArrayList<>();

  FanOutGroups(Spans spans, SpanTree tree, SpanTree waits, StepUnits units, Sink sink) {
    this.spans = spans;
    this.tree = tree;
    this.waits = waits;
    this.units = units;
    this.sentTimes = new SentTimes(spans, tree, waits);
    this.waited = new WaitedSpans(spans, waits);
    this.sink = sink;
  }

  /**
   * Finds all groups of a run.
   *
   * @param members the run's spans in the tree's order
   */
  void find(int[] members) {
    for (int from = 0; from < members.length; ) {
      int to = traceEnd(members, from);
      ofTrace(members, from, to);
      from = to;
    }
  }

  private int traceEnd(int[] members, int from) {
    int to = from + 1;
    while (to < members.length && spans.trace(members[to]) == spans.trace(members[from])) {
      to++;
    }
    return to;
  }

  private void ofTrace(int[] members, int from, int to) {
    for (int i = from; i < to; i++) {
      if (isRemote(members[i])) {
        handOn(waits.above(members[i]), work(members[i]));
      }
    }
    for (int depth = atDepth.size() - 1; depth >= 0; depth--) {
      atDepth.get(depth).forEach(this::ofSpan);
    }
    atDepth.clear();
    waiting.clear();
  }

  /**
   * Whether a span in another process waited for this one. A call inside another agent's span still
   * came from its sender.
   */
  private boolean isRemote(int span) {
    int parent = tree.above(spans.around().outermost(span));
    return parent >= 0
        && spans.process(parent) != spans.process(span)
        && waits.above(span) >= 0
        && spans.isTimed(span)
        && !spans.isDispatch(span);
  }

  private void handOn(int to, int span) {
    waiting
        .computeIfAbsent(to, this::waiting)
        .byName
        .computeIfAbsent(spans.name(span), name -> new Group())
        .add(span);
  }

  private Waiting waiting(int span) {
    depths = depths.length == 0 ? waits.depths() : depths;
    while (atDepth.size() <= depths[span]) {
      atDepth.add(new ArrayList<>());
    }
    Waiting made = new Waiting(span);
    atDepth.get(depths[span]).add(made);
    return made;
  }

  private void ofSpan(Waiting one) {
    // A span in the process of its parent, whose siblings are elsewhere, belongs to the group. A
    // span that sent the work does not, even if its execution is unknown.
    for (int i = 0; i < waits.childCount(one.span); i++) {
      int child = waits.child(one.span, i);
      Group group = one.byName.get(spans.name(child));
      if (group != null && !isRemote(child) && spans.isTimed(child) && !spans.isDispatch(child)) {
        group.add(~child);
      }
    }
    int above = units.isStep(one.span) ? SpanTree.NONE : waits.above(one.span);
    for (Group group : one.byName.values()) {
      split(one.span, above, group);
    }
  }

  /**
   * Spans that were sent after all earlier ones had ended form another group.
   *
   * <p>A single earlier one counts as ended as {@link SentCalls} has it: calls that are made one
   * after the other stay apart if the end of one is recorded late. Among several, the next one may
   * follow the first that ends, as in a pool of threads, so they must really have ended.
   */
  private void split(int span, int above, Group group) {
    int[] members = withoutCallers(Arrays.copyOf(group.spans, group.count));
    IndexSort.sort(
        members,
        (a, b) -> {
          long sentA = sent(number(a));
          long sentB = sent(number(b));
          return sentA != sentB ? sentA < sentB : tree.isBefore(number(a), number(b));
        });
    SentCalls calls = calls(span, members);
    int from = 0;
    long reached = Long.MIN_VALUE;
    for (int i = 0; i < members.length; i++) {
      int member = number(members[i]);
      long toleranceNanos = i == from + 1 ? Tolerance.nanos(spans.nanos(number(members[from]))) : 0;
      if (i > from && sent(member) >= reached - toleranceNanos) {
        chain(span, above, members, from, i, null);
        from = i;
        reached = Long.MIN_VALUE;
      }
      reached = Math.max(reached, spans.end(member));
    }
    if (from < members.length) {
      chain(span, above, members, from, members.length, from == 0 ? calls : null);
    }
  }

  /**
   * The calls of several processes, if the sink does not have them yet.
   *
   * @return null if there are none, or if some of these spans were not called
   */
  private @Nullable SentCalls calls(int span, int[] members) {
    boolean areSeveral = false;
    for (int member : members) {
      if (member < 0 || known.get(member)) {
        return null;
      }
      areSeveral |= spans.process(member) != spans.process(members[0]);
    }
    if (!areSeveral) {
      return null;
    }
    SentCalls calls = new SentCalls(tree, waited, span, members);
    Arrays.stream(members).forEach(known::set);
    sink.calls(calls);
    return calls;
  }

  /**
   * A span that called another member is not its peer: for example, a client and its server, or a
   * stage and the next one.
   */
  private int[] withoutCallers(int[] members) {
    if (first.length == 0) {
      numberSubtrees();
    }
    IndexSort.sort(members, (a, b) -> first[number(a)] < first[number(b)]);
    int kept = 0;
    for (int i = 0; i < members.length; i++) {
      int member = number(members[i]);
      int next = i + 1;
      while (next < members.length && number(members[next]) == member) {
        next++; // the same span can be in the group twice: as a call and as a sibling
      }
      if (next == members.length || first[number(members[next])] >= last[member]) {
        members[kept++] = members[i];
      }
    }
    return Arrays.copyOf(members, kept);
  }

  /** So that descendants can be found in constant time, at any depth. */
  private void numberSubtrees() {
    first = new int[spans.size()];
    last = new int[spans.size()];
    int next = 0;
    int[] stack = new int[64];
    for (int top : tree.order()) {
      int count = 0;
      if (tree.isTop(top)) {
        stack[count++] = top;
      }
      while (count > 0) {
        int span = stack[--count];
        if (span < 0) {
          last[~span] = next;
          continue;
        }
        first[span] = next++;
        int children = tree.childCount(span);
        if (count + children + 1 > stack.length) {
          stack = Arrays.copyOf(stack, Math.max(2 * stack.length, count + children + 1));
        }
        stack[count++] = ~span;
        for (int i = 0; i < children; i++) {
          stack[count++] = tree.child(span, i);
        }
      }
    }
  }

  private void chain(
      int span, int above, int[] members, int from, int to, @Nullable SentCalls calls) {
    int process = spans.process(number(members[from]));
    for (int i = from + 1; i < to; i++) {
      if (spans.process(number(members[i])) != process) {
        int[] group = Arrays.copyOfRange(members, from, to);
        Arrays.setAll(group, n -> number(group[n]));
        sink.group(span, group, calls == null ? new SentCalls(tree, waited, span, group) : calls);
        return;
      }
    }
    for (int i = from; i < to && above >= 0; i++) {
      if (members[i] >= 0) {
        handOn(above, members[i]);
      }
    }
  }

  /** Marks spans that were not called: they do not matter to ancestors. */
  private static int number(int member) {
    return member < 0 ? ~member : member;
  }

  /** The span that did the work of a call; the call's own span if there are several. */
  private int work(int span) {
    int work = span;
    while (isOneThing(work)) {
      work = tree.child(work, 0);
    }
    return work;
  }

  /** When the call that this span executes was sent. */
  private long sent(int work) {
    int call = work;
    while (tree.above(call) >= 0 && isOneThing(tree.above(call))) {
      call = tree.above(call);
    }
    return sentTimes.of(call);
  }

  private boolean isOneThing(int span) {
    return (spans.kind(span) == Span.SERVER || spans.kind(span) == Span.CONSUMER)
        && tree.childCount(span) == 1
        && spans.isTimed(tree.child(span, 0))
        && spans.process(tree.child(span, 0)) == spans.process(span);
  }
}
