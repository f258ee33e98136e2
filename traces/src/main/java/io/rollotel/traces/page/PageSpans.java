package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.spans.Lanes;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The spans of a run as the page draws them: rows, and in each row items that do not overlap, in
 * the order of time.
 *
 * <p>A row is one level of nesting in one lane of a worker. An item is a span. If a run has more
 * spans than a page may have, neighbours in a row that together are too short to be visible are
 * merged into one item. So the cost of a page is bounded, and everything that can be distinguished
 * at some zoom level is shown.
 */
final class PageSpans {

  /** A level of a worker's lane, whose items are those from {@code first} on. */
  record Row(int worker, int lane, int depth, int first, int count) {}

  private static final int MAX_ROWS = 20_000;

  /** The rows that each lane gets before others get more. */
  private static final int FAIR_DEPTH = 64;

  private final RunAnalysis run;
  private final Spans spans;
  private final List<Row> rows = new ArrayList<>();

  /** For each item, its first span, the number of its spans, and its last span. */
  private int[] firstSpan = {};

  private int[] spanCount = {};
  private int[] lastSpan = {};

  /** For each item its longest span. */
  private int[] longestSpan = {};

  private int items;

  /** For each span its item, or -1. */
  private final int[] itemOf;

  private final int placed;
  private final int timed;

  /**
   * Places the spans of a run.
   *
   * @param maxItems how many items there may be at most, about
   */
  PageSpans(RunAnalysis run, int maxItems) {
    this(run, run.workers().all(), maxItems);
  }

  /**
   * Places some spans of a run.
   *
   * @param workers all that the run has, in the page's order
   */
  PageSpans(RunAnalysis run, List<Workers.Worker> workers, int maxItems) {
    this.run = run;
    this.spans = run.spans();
    this.itemOf = new int[spans.size()];
    Arrays.fill(itemOf, -1);
    int[] ofRun = Arrays.stream(run.members()).filter(spans::isTimed).toArray();
    int[] byStart = Lanes.byStart(spans, run.tree(), ofRun);
    this.timed = byStart.length;
    int[] rowOf = rowsOf(byStart, workers);
    int[] order = byRow(byStart, rowOf);
    this.placed = order.length;
    long nanos = order.length <= maxItems ? 0 : Math.max(1, run.wallNanos() >>> 24);
    while (join(order, rowOf, nanos) > maxItems && nanos <= run.wallNanos()) {
      nanos = Math.max(1, 2 * nanos);
    }
    for (int item = 0; item < items; item++) {
      itemOf[firstSpan[item]] = item;
    }
    int item = -1;
    for (int span : order) {
      item = itemOf[span] >= 0 ? itemOf[span] : item;
      itemOf[span] = item;
    }
  }

  /** Numbers the rows, by worker, lane and depth; returns the row of each span, or -1. */
  private int[] rowsOf(int[] byStart, List<Workers.Worker> workers) {
    Lanes lanes = new Lanes(spans, run.tree(), byStart);
    int[] firstLanes = new int[spans.processes().size()];
    int laneCount = 0;
    for (Workers.Worker worker : workers) {
      firstLanes[worker.processNumber()] = laneCount;
      laneCount += lanes.count(worker.processNumber());
    }
    long[][] ends = new long[laneCount][];
    int[] open = new int[laneCount];
    int[] deepest = new int[laneCount];
    int[] depthOf = new int[spans.size()];
    for (int span : byStart) {
      int lane = firstLanes[spans.process(span)] + lanes.lane(span);
      if (ends[lane] == null) {
        ends[lane] = new long[4];
      }
      while (open[lane] > 0 && ends[lane][open[lane] - 1] <= spans.start(span)) {
        open[lane]--;
      }
      if (open[lane] == ends[lane].length) {
        ends[lane] = Arrays.copyOf(ends[lane], 2 * open[lane]);
      }
      depthOf[span] = open[lane];
      ends[lane][open[lane]++] = spans.end(span);
      deepest[lane] = Math.max(deepest[lane], open[lane]);
    }
    share(deepest);
    int[] firstRows = new int[laneCount];
    for (int number = 0; number < workers.size(); number++) {
      int process = workers.get(number).processNumber();
      for (int i = 0; i < lanes.count(process); i++) {
        int lane = firstLanes[process] + i;
        firstRows[lane] = rows.size();
        for (int depth = 0; depth < deepest[lane]; depth++) {
          rows.add(new Row(number, i, depth, 0, 0));
        }
      }
    }
    int[] rowOf = new int[spans.size()];
    for (int span : byStart) {
      int lane = firstLanes[spans.process(span)] + lanes.lane(span);
      rowOf[span] = depthOf[span] < deepest[lane] ? firstRows[lane] + depthOf[span] : -1;
    }
    return rowOf;
  }

  /**
   * Limits the depths of lanes to the maximum number of rows: cuts the deepest ones, and the last
   * ones first.
   */
  private static void share(int[] depths) {
    int left = MAX_ROWS;
    int[] wanted = depths.clone();
    for (int lane = 0; lane < depths.length; lane++) {
      depths[lane] = Math.min(left, Math.min(wanted[lane], FAIR_DEPTH));
      left -= depths[lane];
    }
    for (int lane = 0; lane < depths.length; lane++) {
      int more = Math.min(left, wanted[lane] - depths[lane]);
      depths[lane] += more;
      left -= more;
    }
  }

  private int[] byRow(int[] byStart, int[] rowOf) {
    int[] starts = new int[rows.size() + 1];
    for (int span : byStart) {
      if (rowOf[span] >= 0) {
        starts[rowOf[span] + 1]++;
      }
    }
    Arrays.parallelPrefix(starts, Integer::sum);
    int[] order = new int[starts[rows.size()]];
    for (int span : byStart) {
      if (rowOf[span] >= 0) {
        order[starts[rowOf[span]]++] = span;
      }
    }
    return order;
  }

  /** Creates items from spans: neighbours that together take no longer than this are one item. */
  private int join(int[] order, int[] rowOf, long nanos) {
    items = 0;
    firstSpan = new int[order.length];
    spanCount = new int[order.length];
    lastSpan = new int[order.length];
    longestSpan = new int[order.length];
    int[] counts = new int[rows.size()];
    int[] firsts = new int[rows.size()];
    int row = -1;
    for (int span : order) {
      boolean isNew =
          nanos == 0
              || rowOf[span] != row
              || spans.end(span) - spans.start(firstSpan[items - 1]) > nanos;
      if (isNew) {
        if (rowOf[span] != row) {
          row = rowOf[span];
          firsts[row] = items;
        }
        counts[row]++;
        firstSpan[items] = span;
        spanCount[items] = 1;
        lastSpan[items] = span;
        longestSpan[items] = span;
        items++;
      } else {
        spanCount[items - 1]++;
        lastSpan[items - 1] = span;
        if (spans.nanos(span) > spans.nanos(longestSpan[items - 1])) {
          longestSpan[items - 1] = span;
        }
      }
    }
    for (int i = 0; i < counts.length; i++) {
      Row old = rows.get(i);
      rows.set(i, new Row(old.worker, old.lane, old.depth, firsts[i], counts[i]));
    }
    return items;
  }

  List<Row> rows() {
    return rows;
  }

  int items() {
    return items;
  }

  /** How many spans are in items; the others have no time, or are nested too deeply. */
  int placed() {
    return placed;
  }

  /** Whether every span that has a time is an item of its own. */
  boolean isEverySpan() {
    return items == timed;
  }

  /** The item that shows a span, -1 if there is none. */
  int item(int span) {
    return itemOf[span];
  }

  /** The first span of an item by time. */
  int firstSpan(int item) {
    return firstSpan[item];
  }

  /** The last span of an item by time. */
  int lastSpan(int item) {
    return lastSpan[item];
  }

  /** The longest span of an item. */
  int longestSpan(int item) {
    return longestSpan[item];
  }

  int spanCount(int item) {
    return spanCount[item];
  }
}
