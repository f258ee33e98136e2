package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds runs that are one although their processes have invented several ids, and assigns each
 * trace as a whole to a run.
 *
 * <p>A member consists of the processes with one run id, or of a process without one. A trace
 * belongs to the member that has its root. A member is a guest in the traces of others. If it is a
 * guest of only one other member, it becomes part of that member, unless it is just a stray span:
 * more than half of the guest's traces must be the other's, or the guest must be in at least three,
 * and in at least half, of the other's traces. A guest of several separate members, such as a
 * service of many runs, stays separate, except for the traces that belong to them.
 *
 * <p>The traces may come in parts. The first pass finds when members begin, the second which
 * members meet, the third gives each span its run. The first two are for one thread each, and their
 * results are added up. Several threads may do the third pass at once, each with other spans.
 */
public final class RunJoins implements Serializable {

  /** In this many traces of another, a guest is not just a stray span. */
  private static final int LEAST_TRACES = 3;

  private final Spans numbers;

  /** Members: runs by their numbers, then processes. 0 stands for none. */
  private final int ids;

  private final long[] firstStarts;

  /** The place of each member in the order of first starts. */
  private final int[] rank;

  /** The number of traces of each member. */
  private final int[] traces;

  /** The number of traces, by guest and owner, in which the one is a guest of the other. */
  private final Map<Long, Integer> shared = new HashMap<>();

  /** For each member, the member that it is part of; itself if none. */
  private final int[] partOf;

  /** The run that each member is named after, if it is a part of no other. */
  private int[] nameOf = {};

  /** The other ids of each run's spans. */
  private final Map<Integer, BitSet> others = new HashMap<>();

  private int firstRun = -1;

  /** Whether all spans belong to one run, so that nothing remains to be done. */
  private boolean isOne = true;

  /** Of no spans yet; the numbers are those of all spans that will follow. */
  public RunJoins(Spans numbers) {
    this.numbers = numbers;
    this.ids = numbers.runs().size();
    int members = ids + numbers.processes().size();
    this.firstStarts = new long[members];
    Arrays.fill(firstStarts, Long.MAX_VALUE);
    this.rank = new int[members];
    this.traces = new int[members];
    this.partOf = new int[members];
  }

  /** All of them at once. */
  static RunJoins of(Spans spans) {
    RunJoins joins = new RunJoins(spans);
    joins.begin(spans);
    joins.rank();
    joins.meet(spans);
    joins.unite();
    joins.addOthers(joins.assign(spans));
    return joins;
  }

  private int member(Spans spans, int span) {
    int run = spans.run(span);
    return run != 0 ? run : ids + spans.process(span);
  }

  private String text(int member) {
    return member < ids
        ? numbers.runs().text(member)
        : numbers.processes().get(member - ids).instanceId();
  }

  // ---- first: when each member begins

  /** Finds when the members of some traces begin. */
  public void begin(Spans spans) {
    for (int i = 0; i < spans.size(); i++) {
      int member = member(spans, i);
      if (spans.isTimed(i) && spans.start(i) < firstStarts[member]) {
        firstStarts[member] = spans.start(i);
      }
      isOne &= firstRun < 0 || firstRun == spans.run(i);
      firstRun = spans.run(i);
    }
  }

  /** Adds another's findings on when members begin. */
  public void addBegun(RunJoins other) {
    for (int i = 0; i < firstStarts.length; i++) {
      firstStarts[i] = Math.min(firstStarts[i], other.firstStarts[i]);
    }
    boolean isSame = firstRun < 0 || other.firstRun < 0 || firstRun == other.firstRun;
    isOne &= other.isOne && isSame;
    firstRun = Math.max(firstRun, other.firstRun);
  }

  /** Ends the first part. */
  public void rank() {
    int[] byStart = new int[rank.length];
    Arrays.setAll(byStart, i -> i);
    IndexSort.sort(
        byStart,
        (a, b) ->
            firstStarts[a] != firstStarts[b]
                ? firstStarts[a] < firstStarts[b]
                : text(a).compareTo(text(b)) < 0);
    for (int i = 0; i < byStart.length; i++) {
      rank[byStart[i]] = i;
    }
  }

  // ---- second: which members meet in traces

  /** The members of each of some traces. */
  private final class Owned {

    /** By trace the span whose member it belongs to. */
    final int[] owners;

    final boolean[] isMixed;

    /** Each member of each trace that has several: the trace above, the member below. */
    final long[] pairs;

    Owned(Spans spans) {
      this.owners = new int[spans.traces()];
      this.isMixed = new boolean[owners.length];
      Arrays.fill(owners, -1);
      for (int i = 0; i < spans.size(); i++) {
        int trace = spans.trace(i);
        int owner = owners[trace];
        if (owner < 0) {
          owners[trace] = i;
          continue;
        }
        isMixed[trace] |= member(spans, i) != member(spans, owner);
        if (isBefore(spans, i, owner)) {
          owners[trace] = i;
        }
      }
      this.pairs = pairs(spans);
    }

    private long[] pairs(Spans spans) {
      long[] found = new long[64];
      int count = 0;
      for (int i = 0; i < spans.size(); i++) {
        if (isMixed[spans.trace(i)]) {
          found = count == found.length ? Arrays.copyOf(found, 2 * count) : found;
          found[count++] = (long) spans.trace(i) << 32 | member(spans, i);
        }
      }
      return Arrays.stream(found, 0, count).sorted().distinct().toArray();
    }
  }

  /**
   * A root before others; the first of several roots; of others, the span of the member that began
   * first.
   */
  private boolean isBefore(Spans spans, int a, int b) {
    boolean isRoot = spans.parentId(a) == 0;
    if (isRoot != (spans.parentId(b) == 0)) {
      return isRoot;
    }
    if (isRoot && spans.start(a) != spans.start(b)) {
      return spans.start(a) < spans.start(b);
    }
    return rank[member(spans, a)] < rank[member(spans, b)];
  }

  /** Inspects the members of some traces, once the beginnings of all members are known. */
  public void meet(Spans spans) {
    if (isOne) {
      return;
    }
    Owned owned = new Owned(spans);
    for (int trace = 0; trace < owned.owners.length; trace++) {
      if (owned.owners[trace] >= 0 && !owned.isMixed[trace]) {
        traces[member(spans, owned.owners[trace])]++;
      }
    }
    for (long pair : owned.pairs) {
      int guest = (int) pair;
      int owner = member(spans, owned.owners[(int) (pair >>> 32)]);
      traces[guest]++;
      if (guest != owner) {
        shared.merge((long) guest << 32 | owner, 1, Integer::sum);
      }
    }
  }

  /** Adds another's findings on which members meet. */
  public void addMet(RunJoins other) {
    for (int i = 0; i < traces.length; i++) {
      traces[i] += other.traces[i];
    }
    other.shared.forEach((both, number) -> shared.merge(both, number, Integer::sum));
  }

  /** For each guest, the members in whose traces it is more than a stray span. */
  private Map<Integer, List<Integer>> hosts() {
    Map<Integer, List<Integer>> hosts = new HashMap<>();
    shared.forEach(
        (both, number) -> {
          int guest = (int) (both >>> 32);
          int owner = both.intValue();
          if (2 * number > traces[guest]
              || (number >= LEAST_TRACES && 2 * number >= traces[owner])) {
            hosts.computeIfAbsent(guest, none -> new ArrayList<>()).add(owner);
          }
        });
    return hosts;
  }

  /** Ends the second part. */
  public void unite() {
    Map<Integer, List<Integer>> hosts = hosts();
    Arrays.setAll(partOf, i -> i);
    // If two members are each other's guests, the later one is the guest.
    List<Integer> guests =
        hosts.keySet().stream()
            .sorted(Comparator.<Integer>comparingInt(guest -> rank[guest]).reversed())
            .toList();
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (int guest : guests) {
        Set<Integer> of = new HashSet<>();
        hosts.getOrDefault(guest, List.of()).forEach(host -> of.add(top(host)));
        of.remove(top(guest));
        if (of.size() == 1 && top(guest) == guest) {
          partOf[guest] = of.iterator().next();
          isChanged = true;
        }
      }
    }
    nameOf = names();
  }

  private int top(int member) {
    int top = member;
    while (partOf[top] != top) {
      top = partOf[top];
    }
    return top;
  }

  /**
   * The run of each member that is a part of no other: its own id, otherwise that of its first part
   * with one.
   */
  private int[] names() {
    int[] names = new int[partOf.length];
    for (int member = 1; member < ids; member++) {
      int top = top(member);
      if (top == member || (top >= ids && (names[top] == 0 || rank[member] < rank[names[top]]))) {
        names[top] = member;
      }
    }
    return names;
  }

  // ---- third: the run of each span

  /**
   * Gives each span of some traces its run.
   *
   * @return the other ids of each run's spans
   */
  public Map<Integer, BitSet> assign(Spans spans) {
    if (isOne) {
      return Map.of();
    }
    Owned owned = new Owned(spans);
    int[] owners = owned.owners;
    int[] runOf = new int[owners.length];
    for (int trace = 0; trace < owners.length; trace++) {
      runOf[trace] = owners[trace] < 0 ? 0 : nameOf[top(member(spans, owners[trace]))];
    }
    // The owner's run has no id: any member that has one supplies it.
    int[] best = new int[owners.length];
    for (long pair : owned.pairs) {
      int trace = (int) (pair >>> 32);
      int member = (int) pair;
      int name = nameOf[top(member)];
      if (nameOf[top(member(spans, owners[trace]))] == 0
          && name != 0
          && (best[trace] == 0 || rank[member] < rank[best[trace]])) {
        best[trace] = member;
        runOf[trace] = name;
      }
    }
    Map<Integer, BitSet> had = new HashMap<>();
    for (int i = 0; i < spans.size(); i++) {
      int run = runOf[spans.trace(i)];
      if (spans.run(i) != run) {
        if (spans.run(i) != 0) {
          had.computeIfAbsent(run, none -> new BitSet()).set(spans.run(i));
        }
        spans.setRun(i, run);
      }
    }
    return had;
  }

  /** Adds the other ids that the spans of some traces had. */
  public void addOthers(Map<Integer, BitSet> had) {
    had.forEach((run, ids) -> others.computeIfAbsent(run, none -> new BitSet()).or(ids));
  }

  /** The other ids of each run's spans, in the order of the first starts. */
  public Map<Integer, List<String>> others() {
    Map<Integer, List<String>> texts = new HashMap<>();
    others.forEach(
        (run, with) ->
            texts.put(
                run,
                with.stream()
                    .boxed()
                    .sorted(Comparator.comparingInt(id -> rank[id]))
                    .map(id -> numbers.runs().text(id))
                    .toList()));
    return texts;
  }
}
