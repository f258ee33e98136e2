package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Adds virtual rows for parents that were not read, so that calls that a lost driver made together
 * still appear together.
 *
 * <p>A parent that has not ended is known from its process's recorder. For other parents, only the
 * id is known: the spans that name it are its children, and it extends from their first start to
 * their last end. A lost parent of a single span adds no information, so it gets no row. A trace
 * without a root gets a virtual root above all top spans, unless one lost parent already is that
 * root. A trace with a root keeps it.
 *
 * <p>Before that, {@link SpansAround} become parents of the calls that ran inside them.
 */
public final class LostParents {

  /** The name of a lost span, and the service of its process. */
  public static final String NOT_THERE = "(not in these files)";

  private static final Resource NOWHERE = new Resource(Map.of("service.name", NOT_THERE));
  private static final int INTERNAL = 1;
  private static final long NO_ID = 0;

  private record Place(int trace, long id) {}

  private final Spans spans;
  private final SpanIndex index;

  /** Spans that have not ended, in traces from the files. */
  private final Map<Place, Span> open = new HashMap<>();

  /** The rows of the parents that were needed. */
  private final Map<Place, Integer> openRows = new HashMap<>();

  private final int read;

  /** Rows whose parent was not read. */
  private int[] orphans = new int[64];

  private int count;

  private LostParents(Spans spans, List<Span> notEnded) {
    this.spans = spans;
    this.read = spans.size();
    this.index = new SpanIndex(spans);
    for (Span span : notEnded) {
      int trace = spans.findTrace(span.traceId());
      if (trace >= 0) {
        open.put(new Place(trace, id(span.spanId())), span);
      }
    }
  }

  /**
   * Adds the rows, once; their runs are those of the spans below them. {@link VirtualTimes}
   * determines their start and end.
   *
   * @param notEnded spans that have not ended; their end times mean nothing
   */
  public static void replace(Spans spans, List<Span> notEnded) {
    if (spans.virtual().parents() == null) {
      new LostParents(spans, notEnded).replace();
    }
  }

  private static long id(String hex) {
    return hex.isEmpty() ? NO_ID : HexFormat.fromHexDigitsToLong(hex);
  }

  private void replace() {
    int[] parents = index.parents();
    spans.around().nest(spans, index, parents);
    boolean[] hasRoot = new boolean[spans.traces()];
    spans.virtual().parents(parents);
    for (int i = 0; i < read; i++) {
      if (parents[i] == SpanTree.NONE) {
        hasRoot[spans.trace(i)] = true;
      } else if (parents[i] == SpanTree.UNKNOWN && !isOpen(i, spans.parentId(i))) {
        orphan(i);
      }
    }
    if (count + openRows.size() == 0) {
      return;
    }
    orphans = Arrays.copyOf(orphans, count);
    IndexSort.sort(
        orphans,
        (a, b) ->
            spans.trace(a) != spans.trace(b)
                ? spans.trace(a) < spans.trace(b)
                : spans.parentId(a) < spans.parentId(b));
    for (int i = read; i < spans.size(); i++) {
      hasRoot[spans.trace(i)] |= spans.parentId(i) == NO_ID;
    }
    for (int from = 0; from < count; ) {
      int to = from + 1;
      while (to < count && spans.trace(orphans[to]) == spans.trace(orphans[from])) {
        to++;
      }
      trace(from, to, hasRoot[spans.trace(orphans[from])]);
      from = to;
    }
  }

  private void orphan(int row) {
    orphans = count == orphans.length ? Arrays.copyOf(orphans, 2 * count) : orphans;
    orphans[count++] = row;
  }

  /** Whether a span's parent has not ended: then it has a row, and so have its ancestors. */
  private boolean isOpen(int row, long parent) {
    int below = row;
    Place place = new Place(spans.trace(row), parent);
    while (!open.isEmpty()) {
      Integer known = openRows.get(place);
      if (known != null) {
        spans.virtual().adopt(below, known);
        return true;
      }
      Span span = open.get(place);
      if (span == null) {
        break;
      }
      int made = add(span, spans.run(row));
      spans.virtual().open(made);
      openRows.put(place, made);
      spans.virtual().adopt(below, made);
      below = made;
      place = new Place(place.trace, spans.parentId(made));
      if (place.id == NO_ID) {
        spans.virtual().root(made);
        return true;
      }
      int ended = index.find(place.trace, place.id);
      if (ended >= 0) {
        spans.virtual().adopt(made, ended);
        return true;
      }
    }
    if (below != row) {
      orphan(below);
    }
    return below != row;
  }

  private int add(Span span, int run) {
    int made =
        spans.addVirtual(
            new Span(
                span.traceId(),
                span.spanId(),
                span.parentSpanId(),
                span.name(),
                INTERNAL,
                0,
                0,
                Map.of(),
                0,
                span.resource(),
                "",
                ""),
            run);
    if (span.startEpochNanos() > 0) {
      spans.stretch(made, span.startEpochNanos(), span.startEpochNanos());
    }
    return made;
  }

  private int addLost(int like, long id) {
    HexFormat hex = HexFormat.of();
    Span lost =
        new Span(
            spans.traceIdOf(like),
            hex.toHexDigits(id),
            "",
            NOT_THERE,
            INTERNAL,
            0,
            0,
            Map.of(),
            0,
            NOWHERE,
            "",
            "");
    return add(lost, spans.run(like));
  }

  /** The orphans of one trace, grouped by parent. */
  private void trace(int from, int to, boolean hasRoot) {
    int[] tops = new int[to - from];
    int topCount = 0;
    boolean isLost = false;
    for (int i = from; i < to; ) {
      int next = i + 1;
      while (next < to && spans.parentId(orphans[next]) == spans.parentId(orphans[i])) {
        next++;
      }
      int top = orphans[i];
      isLost = next - i > 1;
      if (isLost) {
        top = addLost(orphans[i], spans.parentId(orphans[i]));
        adopt(i, next, top);
      }
      tops[topCount++] = top;
      i = next;
    }
    if (!hasRoot) {
      boolean isThere = topCount == 1 && isLost;
      int root = isThere ? tops[0] : addLost(orphans[from], NO_ID);
      spans.virtual().root(root);
      topCount = isThere ? 0 : topCount;
      for (int i = 0; i < topCount; i++) {
        spans.virtual().adopt(tops[i], root);
      }
    }
  }

  private void adopt(int from, int to, int parent) {
    for (int i = from; i < to; i++) {
      spans.virtual().adopt(orphans[i], parent);
    }
  }
}
