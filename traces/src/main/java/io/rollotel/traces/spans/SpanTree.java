package io.rollotel.traces.spans;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Parents and children within each trace. {@link LostParents} are parents like others, except for
 * {@link #parent}.
 *
 * <p>Spans that are their own ancestors form a ring; the first span of each in the order of {@link
 * #isBefore} counts as one whose parent is unknown.
 */
public final class SpanTree {

  /** Used instead of a parent: the span is a root. */
  public static final int NONE = -1;

  /** Used instead of a parent: it has one that is not in the files. */
  public static final int UNKNOWN = -2;

  private final Spans spans;

  /** By trace, and in each by {@link #isBefore}. */
  private final int[] order;

  /** The start of each trace in the order, and at last the end. */
  private final int[] traceStarts;

  private final int[] above;
  private final int[] childStarts;
  private final int[] children;

  /** The first span of each ring. */
  private final BitSet cut = new BitSet();

  /** See {@link #childAbove}; null until it is needed. */
  private volatile @Nullable Preorder preorder;

  /**
   * A number for each span: parents before children, and a child's descendants before the next.
   *
   * @param ends the first number after those of a span and its descendants
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Preorder(int[] numbers, int[] ends) {}

  public SpanTree(Spans spans) {
    this.spans = spans;
    this.traceStarts = new int[spans.traces() + 1];
    this.order = sorted();
    this.above = rowsAbove(spans);
    breakRings();
    this.childStarts = new int[spans.size() + 1];
    this.children = sortedChildren();
  }

  private SpanTree(SpanTree of, int[] above) {
    this.spans = of.spans;
    this.traceStarts = of.traceStarts;
    this.order = of.order;
    this.above = above;
    this.childStarts = new int[spans.size() + 1];
    this.children = sortedChildren();
  }

  /**
   * The same spans with other parents.
   *
   * @param parents for each span, another span of its trace, or a negative number for none; no span
   *     is its own ancestor
   */
  public SpanTree withParents(int[] parents) {
    return new SpanTree(this, parents);
  }

  /** The order of siblings: by start, the longer first, then by id. */
  public boolean isBefore(int a, int b) {
    if (spans.start(a) != spans.start(b)) {
      return spans.start(a) < spans.start(b);
    }
    if (spans.end(a) != spans.end(b)) {
      return spans.end(a) > spans.end(b);
    }
    return Long.compareUnsigned(spans.id(a), spans.id(b)) < 0;
  }

  private int[] sorted() {
    int n = spans.size();
    for (int i = 0; i < n; i++) {
      traceStarts[spans.trace(i) + 1]++;
    }
    Arrays.parallelPrefix(traceStarts, Integer::sum);
    int[] next = traceStarts.clone();
    int[] sorted = new int[n];
    for (int i = 0; i < n; i++) {
      sorted[next[spans.trace(i)]++] = i;
    }
    for (int t = 0; t < spans.traces(); t++) {
      IndexSort.sort(sorted, traceStarts[t], traceStarts[t + 1], spans::start, this::isBefore);
    }
    return sorted;
  }

  /**
   * The parent of each row, or its substitute: another row, {@link #NONE} or {@link #UNKNOWN}. Rows
   * may be their own ancestors.
   */
  public static int[] rowsAbove(Spans spans) {
    int[] parents = spans.virtual().parents();
    if (parents == null) {
      return new SpanIndex(spans).parents();
    }
    int[] found = Arrays.copyOf(parents, spans.size());
    for (int i = 0; i < found.length; i++) {
      found[i] = i >= parents.length || found[i] == UNKNOWN ? spans.virtual().above(i) : found[i];
    }
    return found;
  }

  private void breakRings() {
    byte[] state = new byte[above.length]; // 1: on the way up, 2: leads to a top
    for (int i = 0; i < above.length; i++) {
      int at = i;
      while (at >= 0 && state[at] == 0) {
        state[at] = 1;
        at = above[at];
      }
      int first = NONE;
      if (at >= 0 && state[at] == 1) {
        first = at;
        for (int next = above[at]; next != at; next = above[next]) {
          first = isBefore(next, first) ? next : first;
        }
      }
      for (at = i; at >= 0 && state[at] == 1; at = above[at]) {
        state[at] = 2;
      }
      if (first != NONE) {
        above[first] = UNKNOWN;
        cut.set(first);
      }
    }
  }

  private int[] sortedChildren() {
    int count = 0;
    for (int of : above) {
      if (of >= 0) {
        childStarts[of + 1]++;
        count++;
      }
    }
    Arrays.parallelPrefix(childStarts, Integer::sum);
    int[] next = childStarts.clone();
    int[] sorted = new int[count];
    for (int span : order) {
      if (above[span] >= 0) {
        sorted[next[above[span]]++] = span;
      }
    }
    return sorted;
  }

  /** All spans: by trace, and in each by {@link #isBefore}. */
  public int[] order() {
    return order;
  }

  /** The start of a trace's spans in the order; they end where the next trace's begin. */
  public int traceStart(int trace) {
    return traceStarts[trace];
  }

  /** A parent for each span, for {@link #withParents}. */
  public int[] parents() {
    return above.clone();
  }

  /** The number of the parent in the files, {@link #NONE} or {@link #UNKNOWN}. */
  public int parent(int span) {
    int parent = above[span];
    return spans.isVirtual(span) || (parent >= 0 && spans.isVirtual(parent)) ? UNKNOWN : parent;
  }

  /**
   * The same, but if the parent is not in the files, the virtual row that stands for it, if any.
   */
  public int above(int span) {
    return above[span];
  }

  /** Whether it has no parent, not even a virtual row. */
  public boolean isTop(int span) {
    return above[span] < 0;
  }

  public int childCount(int span) {
    return childStarts[span + 1] - childStarts[span];
  }

  /** The n-th child in the order of {@link #isBefore}. */
  public int child(int span, int n) {
    return children[childStarts[span] + n];
  }

  public int[] children(int span) {
    return Arrays.copyOfRange(children, childStarts[span], childStarts[span + 1]);
  }

  /**
   * The child of a span through which another is below it, or which is that one; a negative number
   * if it is not below. Does not walk up from there, which may be a hundred thousand levels away.
   */
  public int childAbove(int span, int other) {
    Preorder known = preorder;
    if (known == null) {
      known = inPreorder();
      preorder = known;
    }
    int[] numbers = known.numbers;
    if (numbers[other] <= numbers[span] || numbers[other] >= known.ends[span]) {
      return UNKNOWN;
    }
    int low = childStarts[span];
    int high = childStarts[span + 1];
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (numbers[children[middle]] <= numbers[other]) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return children[low];
  }

  private Preorder inPreorder() {
    int[] all = new int[above.length];
    int[] numbers = new int[above.length];
    int[] stack = new int[64];
    int next = 0;
    for (int top : order) {
      int size = 0;
      if (above[top] < 0) {
        stack[size++] = top;
      }
      while (size > 0) {
        int span = stack[--size];
        all[next] = span;
        numbers[span] = next++;
        int more = childCount(span);
        stack = size + more > stack.length ? Arrays.copyOf(stack, 2 * (size + more)) : stack;
        for (int i = more - 1; i >= 0; i--) {
          stack[size++] = child(span, i);
        }
      }
    }
    int[] ends = new int[above.length];
    while (--next >= 0) {
      int children = childCount(all[next]);
      ends[all[next]] = children == 0 ? next + 1 : ends[child(all[next], children - 1)];
    }
    return new Preorder(numbers, ends);
  }

  /** For each span how many ancestors it has. */
  public int[] depths() {
    int[] depths = new int[above.length];
    int[] way = new int[64];
    Arrays.fill(depths, -1);
    for (int i = 0; i < above.length; i++) {
      int count = 0;
      for (int at = i; at >= 0 && depths[at] < 0; at = above[at]) {
        way = count == way.length ? Arrays.copyOf(way, 2 * count) : way;
        way[count++] = at;
      }
      while (count > 0) {
        int span = way[--count];
        depths[span] = above[span] < 0 ? 0 : depths[above[span]] + 1;
      }
    }
    return depths;
  }

  /** The roots of a trace, and spans without a parent. */
  public int[] tops(int trace) {
    return Arrays.stream(order, traceStarts[trace], traceStarts[trace + 1])
        .filter(this::isTop)
        .toArray();
  }

  /** How many rings of parents were cut. */
  public long rings() {
    return cut.cardinality();
  }

  /** Whether the span was the first of a ring of parents, and has none now. */
  public boolean isCut(int span) {
    return cut.get(span);
  }

  /**
   * The self time of a span: its time without the time in which a child ran.
   *
   * <p>{@code duration − |union over the children of [start, end] ∩ the span's|}
   */
  public long selfNanos(int span) {
    long from = spans.start(span);
    long to = spans.end(span);
    long covered = 0;
    long reached = from;
    for (int i = childStarts[span]; i < childStarts[span + 1]; i++) {
      long start = Math.max(spans.start(children[i]), reached);
      long end = Math.min(spans.end(children[i]), to);
      if (end > start) {
        covered += end - start;
        reached = end;
      }
    }
    return to - from - covered;
  }
}
