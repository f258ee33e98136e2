package io.rollotel.traces.page;

import io.rollotel.traces.analysis.CriticalPath;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.HexFormat;
import tools.jackson.core.JsonGenerator;

/**
 * The items of the timeline as columns, which the page's {@code model.js} reads: times as gaps and
 * durations within a row, names by their place among the run's names, parents as items.
 */
final class PageTimeline {

  private static final int ERROR = 1;
  private static final int ON_PATH = 2;
  private static final int JOINED = 4;
  private static final int ORPHAN = 8;
  private static final int DISPATCH = 16;

  /** From this number of items on, times are rounded down to microseconds. */
  private static final int FINE_ITEMS = 300_000;

  /** 16 bytes each that cannot be compressed. */
  private static final int MAX_TRACES = 150_000;

  private static final int MAX_SEGMENTS = 400_000;
  private static final int MAX_PART = 256;

  private final RunAnalysis run;
  private final Spans spans;
  private final PageSpans placed;
  private final PageOpen open;
  private final PageNumbers numbers;
  private final PageLimits limits;
  private final PageText out;
  private final boolean isEverySpan;
  private final long startEpochNanos;
  private final long unitNanos;

  PageTimeline(PageRun of, PageLimits limits, PageText out) {
    this.run = of.details();
    this.open = of.open();
    this.spans = run.spans();
    this.placed = of.placed();
    this.numbers = of.numbers();
    this.isEverySpan = of.isEverySpan();
    this.startEpochNanos = of.startEpochNanos();
    this.limits = limits;
    this.out = out;
    this.unitNanos = placed.items() < FINE_ITEMS ? 1 : 1000;
  }

  void write(JsonGenerator json) {
    json.writeNumberProperty("unitNanos", unitNanos);
    json.writeNumberProperty("items", placed.items());
    json.writeNumberProperty("spans", placed.placed());
    json.writeBooleanProperty("everySpan", isEverySpan);
    json.writeArrayPropertyStart("rows");
    for (PageSpans.Row row : placed.rows()) {
      json.writeStartArray();
      json.writeNumber(row.worker());
      json.writeNumber(row.lane());
      json.writeNumber(row.depth());
      json.writeNumber(row.count());
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeObjectPropertyStart("columns");
    times(json);
    names(json);
    parents(json);
    path(json);
    json.writeEndObject();
    if (limits.bytes() == 0) {
      PageDetails.writeNone(json, placed.items());
      return;
    }
    json.flush();
    // Base64 makes four bytes of three.
    long detailBytes = Math.max(limits.minDetailBytes(), (limits.bytes() - out.written()) / 4 * 3);
    new PageDetails(run, placed).write(json, detailBytes);
  }

  private long units(long epochNanos) {
    return (epochNanos - startEpochNanos) / unitNanos;
  }

  private void times(JsonGenerator json) {
    PageBytes gaps = new PageBytes();
    PageBytes durations = new PageBytes();
    PageBytes counts = new PageBytes();
    for (PageSpans.Row row : placed.rows()) {
      long reached = 0;
      for (int item = row.first(); item < row.first() + row.count(); item++) {
        long start = units(spans.start(placed.firstSpan(item)));
        long end = units(spans.end(placed.lastSpan(item)));
        gaps.add(start - reached);
        durations.add(end - start);
        counts.add(placed.spanCount(item) - 1);
        reached = end;
      }
    }
    json.writeStringProperty("gap", gaps.base64());
    json.writeStringProperty("duration", durations.base64());
    json.writeStringProperty("joined", counts.base64());
  }

  private void names(JsonGenerator json) {
    PageBytes names = new PageBytes();
    byte[] flags = new byte[placed.items()];
    for (int span : run.members()) {
      int item = placed.item(span);
      if (item >= 0) {
        flags[item] |=
            (byte)
                ((spans.isError(span) ? ERROR : 0)
                    | (run.path().nanosOf(span) > 0 ? ON_PATH : 0)
                    | (isOrphan(span) ? ORPHAN : 0)
                    | (run.isDispatch(span) ? DISPATCH : 0)
                    | (placed.spanCount(item) > 1 ? JOINED : 0));
      }
    }
    for (int item = 0; item < placed.items(); item++) {
      names.add(numbers.name(spans.name(placed.longestSpan(item))));
    }
    PageBytes flagBytes = new PageBytes();
    flagBytes.addBytes(flags);
    json.writeStringProperty("name", names.base64());
    json.writeStringProperty("flags", flagBytes.base64());
  }

  private boolean isOrphan(int span) {
    return run.tree().parent(span) == SpanTree.UNKNOWN && open.parentItem(spans, span) < 0;
  }

  /** The parent's item, or its trace if there is no parent: spans below it have the same trace. */
  private void parents(JsonGenerator json) {
    PageBytes parents = new PageBytes();
    PageBytes traceIds = new PageBytes();
    int[] traceNumbers = new int[spans.traces()];
    int traces = 0;
    long before = 0;
    PageBytes traceOf = new PageBytes();
    for (int item = 0; item < placed.items(); item++) {
      int span = placed.firstSpan(item);
      int parentSpan = run.tree().parent(span);
      int parent =
          parentSpan >= 0
              ? placed.item(parentSpan)
              : parentSpan == SpanTree.UNKNOWN ? open.parentItem(spans, span) : -1;
      // Several spans may have parents in several traces, and could even be each other's parents.
      if (parent >= 0
          && (placed.spanCount(item) > 1
              || (parent < placed.items() && placed.spanCount(parent) > 1))) {
        parent = -1;
      }
      parents.addSigned(parent - before);
      before = parent;
      if (parent < 0) {
        int trace = spans.trace(span);
        if (traceNumbers[trace] == 0 && traces < MAX_TRACES) {
          traceNumbers[trace] = ++traces;
          traceIds.addBytes(HexFormat.of().parseHex(spans.traceId(trace)));
        }
        traceOf.add(traceNumbers[trace]);
      }
    }
    json.writeStringProperty("parent", parents.base64());
    json.writeStringProperty("trace", traceOf.base64());
    json.writeStringProperty("traceIds", traceIds.base64());
  }

  /**
   * For each critical path, the items and how long each is on it, without gaps: twice the time,
   * plus one if the item waited in the queue.
   */
  private void path(JsonGenerator json) {
    Paths paths = new Paths();
    if (run.path().isOfRun()) {
      run.followRun(paths::addPart);
      paths.add(paths.part);
    } else {
      CriticalPath follower = run.criticalPath();
      for (Steps.Step step : run.steps().all()) {
        PathSegments segments = new PathSegments();
        follower.follow(step.span(), segments::add);
        if (!paths.add(segments)) {
          break; // the flags still tell which spans are on a path
        }
      }
    }
    json.writeStringProperty("path", paths.bytes.base64());
  }

  private final class Paths {
    private final PageBytes bytes = new PageBytes();
    private int left = MAX_SEGMENTS;
    private long before;
    private PathSegments part = new PathSegments();

    /**
     * The page draws only the visible parts of a long path. If only some traces are in memory,
     * there are gaps between the parts.
     */
    void addPart(int span, boolean isQueueWait, long from, long to) {
      boolean isGap = part.count > 0 && part.starts[part.count - 1] != to;
      if (part.count == MAX_PART || isGap) {
        add(part);
        part = new PathSegments();
      }
      part.add(span, isQueueWait, from, to);
    }

    /** Whether there was room for it. */
    boolean add(PathSegments segments) {
      left -= segments.count;
      if (left < 0) {
        return false;
      }
      bytes.add(segments.count);
      // Negative if an open step began before all spans that have ended.
      bytes.addSigned(segments.count == 0 ? 0 : units(segments.starts[segments.count - 1]));
      for (int i = segments.count - 1; i >= 0; i--) {
        int item = segments.spans[i] < 0 ? -1 : placed.item(segments.spans[i]);
        bytes.addSigned(item - before);
        long time = units(segments.ends[i]) - units(segments.starts[i]);
        bytes.add(2 * time + (segments.isQueueWait[i] ? 1 : 0));
        before = item;
      }
      return true;
    }
  }

  /** The segments of one path, the last first. */
  private static final class PathSegments {
    int[] spans = new int[16];
    boolean[] isQueueWait = new boolean[16];
    long[] starts = new long[16];
    long[] ends = new long[16];
    int count;

    void add(int span, boolean isWaiting, long from, long to) {
      if (count == spans.length) {
        spans = Arrays.copyOf(spans, 2 * count);
        isQueueWait = Arrays.copyOf(isQueueWait, 2 * count);
        starts = Arrays.copyOf(starts, 2 * count);
        ends = Arrays.copyOf(ends, 2 * count);
      }
      spans[count] = span;
      isQueueWait[count] = isWaiting;
      starts[count] = from;
      ends[count++] = to;
    }
  }
}
