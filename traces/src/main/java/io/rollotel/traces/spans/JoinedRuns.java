package io.rollotel.traces.spans;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which runs are one although their processes have invented several ids; and to which run each
 * trace belongs, whole.
 *
 * <p>A member is what shares a run's id, or a process without one. A trace belongs to the member
 * that has its root. A guest in the traces of one other member alone becomes part of that, where it
 * is more than a stray span: more than half of the guest's traces are those, or the guest is in at
 * least three and in half or more of the other's. A guest of several that are not one themselves,
 * such as a service of many runs, stays what it is, but for the traces that are theirs.
 */
final class JoinedRuns {

  /** In so many traces of another a guest takes part, and does not stray. */
  private static final int LEAST_TRACES = 3;

  private final Spans spans;

  /** Members: runs by their numbers, then processes. 0 is nobody. */
  private final int ids;

  private final long[] firstStarts;

  /** By member its place in the order of first starts. */
  private final int[] rank;

  /** By trace the span whose member it belongs to. */
  private final int[] owners;

  private final boolean[] isMixed;

  /** By member in how many traces it is. */
  private final int[] traces;

  /** By member the one that it is a part of; itself, if it is a part of none. */
  private final int[] partOf;

  /** By run the other ids that its spans had. */
  private final Map<Integer, BitSet> others = new HashMap<>();

  private JoinedRuns(Spans spans) {
    this.spans = spans;
    this.ids = spans.runs().size();
    int members = ids + spans.processes().size();
    this.firstStarts = new long[members];
    this.rank = new int[members];
    this.owners = new int[spans.traces()];
    this.isMixed = new boolean[owners.length];
    this.traces = new int[members];
    this.partOf = new int[members];
  }

  /**
   * Gives each span its run.
   *
   * @return by run the other ids that its spans had, in the order of the first starts
   */
  static Map<Integer, List<String>> join(Spans spans) {
    return isOne(spans) ? Map.of() : new JoinedRuns(spans).join();
  }

  private static boolean isOne(Spans spans) {
    for (int i = 1; i < spans.size(); i++) {
      if (spans.run(i) != spans.run(0)) {
        return false;
      }
    }
    return true;
  }

  private Map<Integer, List<String>> join() {
    rank();
    findOwners();
    long[] pairs = pairs();
    unite(hosts(pairs));
    assign(pairs);
    Map<Integer, List<String>> texts = new HashMap<>();
    others.forEach(
        (run, with) ->
            texts.put(
                run,
                with.stream()
                    .boxed()
                    .sorted(Comparator.comparingInt(id -> rank[id]))
                    .map(id -> spans.runs().text(id))
                    .toList()));
    return texts;
  }

  private int member(int span) {
    int run = spans.run(span);
    return run != 0 ? run : ids + spans.process(span);
  }

  private String text(int member) {
    return member < ids
        ? spans.runs().text(member)
        : spans.processes().get(member - ids).instanceId();
  }

  private void rank() {
    Arrays.fill(firstStarts, Long.MAX_VALUE);
    for (int i = 0; i < spans.size(); i++) {
      int member = member(i);
      if (spans.isTimed(i) && spans.start(i) < firstStarts[member]) {
        firstStarts[member] = spans.start(i);
      }
    }
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

  private void findOwners() {
    Arrays.fill(owners, -1);
    for (int i = 0; i < spans.size(); i++) {
      int trace = spans.trace(i);
      int owner = owners[trace];
      if (owner < 0) {
        owners[trace] = i;
        continue;
      }
      isMixed[trace] |= member(i) != member(owner);
      if (isBefore(i, owner)) {
        owners[trace] = i;
      }
    }
  }

  /** A root before others; of roots the first; of others that of the member which began first. */
  private boolean isBefore(int a, int b) {
    boolean isRoot = spans.parentId(a) == 0;
    if (isRoot != (spans.parentId(b) == 0)) {
      return isRoot;
    }
    if (isRoot && spans.start(a) != spans.start(b)) {
      return spans.start(a) < spans.start(b);
    }
    return rank[member(a)] < rank[member(b)];
  }

  /** Each member of each trace that has several: the trace above, the member below. */
  private long[] pairs() {
    long[] pairs = new long[64];
    int count = 0;
    for (int i = 0; i < spans.size(); i++) {
      if (isMixed[spans.trace(i)]) {
        pairs = count == pairs.length ? Arrays.copyOf(pairs, 2 * count) : pairs;
        pairs[count++] = (long) spans.trace(i) << 32 | member(i);
      }
    }
    return Arrays.stream(pairs, 0, count).sorted().distinct().toArray();
  }

  /** By guest those in whose traces it is more than a stray span. */
  private Map<Integer, List<Integer>> hosts(long[] pairs) {
    for (int trace = 0; trace < owners.length; trace++) {
      if (owners[trace] >= 0 && !isMixed[trace]) {
        traces[member(owners[trace])]++;
      }
    }
    Map<Long, Integer> shared = new LinkedHashMap<>();
    for (long pair : pairs) {
      int guest = (int) pair;
      int owner = member(owners[(int) (pair >>> 32)]);
      traces[guest]++;
      if (guest != owner) {
        shared.merge((long) guest << 32 | owner, 1, Integer::sum);
      }
    }
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

  private void unite(Map<Integer, List<Integer>> hosts) {
    Arrays.setAll(partOf, i -> i);
    // Of two that are each other's guests the later one is the guest.
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
  }

  private int top(int member) {
    int top = member;
    while (partOf[top] != top) {
      top = partOf[top];
    }
    partOf[member] = top;
    return top;
  }

  private void assign(long[] pairs) {
    int[] nameOf = names();
    int[] runOf = new int[owners.length];
    for (int trace = 0; trace < owners.length; trace++) {
      runOf[trace] = owners[trace] < 0 ? 0 : nameOf[top(member(owners[trace]))];
    }
    // The owner's run has no id at all: any that has one says it.
    int[] best = new int[owners.length];
    for (long pair : pairs) {
      int trace = (int) (pair >>> 32);
      int member = (int) pair;
      int name = nameOf[top(member)];
      if (nameOf[top(member(owners[trace]))] == 0
          && name != 0
          && (best[trace] == 0 || rank[member] < rank[best[trace]])) {
        best[trace] = member;
        runOf[trace] = name;
      }
    }
    for (int i = 0; i < spans.size(); i++) {
      int run = runOf[spans.trace(i)];
      if (spans.run(i) != run) {
        if (spans.run(i) != 0) {
          others.computeIfAbsent(run, none -> new BitSet()).set(spans.run(i));
        }
        spans.setRun(i, run);
      }
    }
  }

  /** The run of each that is a part of none: its own id, else that of its first part with one. */
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
}
