package io.rollotel.traces.report;

import io.rollotel.traces.analysis.CriticalPath;
import io.rollotel.traces.analysis.FoundTraces;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** One trace as a tree, and its critical path. */
final class TraceText {

  private static final int MAX_ROWS = 2000;

  /** From this depth on, levels have a number instead of more indentation. */
  private static final int MAX_LEVELS = 10;

  private static final int OTHER_COLUMNS = 56;
  private static final int LEAST_NAME_COLUMNS = 24;

  private final RunAnalysis run;
  private final Spans spans;
  private final SpanTree tree;
  private final int trace;
  private final ReportWriter out;

  TraceText(RunAnalysis run, int trace, ReportWriter out) {
    this.run = run;
    this.spans = run.spans();
    this.tree = run.tree();
    this.trace = trace;
    this.out = out;
  }

  void print() {
    Map<Integer, Long> onPath = new HashMap<>();
    long[] queueNanos = {0};
    run.criticalPath()
        .followTrace(
            trace,
            (span, isQueueWait, from, to) -> {
              if (isQueueWait) {
                queueNanos[0] += to - from;
              } else {
                onPath.merge(span, to - from, Long::sum);
              }
            });
    long pathNanos = queueNanos[0] + onPath.values().stream().mapToLong(nanos -> nanos).sum();
    int[] tops = tree.tops(trace);
    long origin = origin();
    out.printf(
        "Trace %s of run %s%n  started %s, critical path %s%n  %s, %s%n",
        spans.traceId(trace),
        TextFormat.text(run.runId(), FilesText.RUN_ID_COLUMNS),
        TextFormat.start(origin),
        TextFormat.duration(pathNanos),
        TextFormat.count(traceEnd() - tree.traceStart(trace), "span", "spans"),
        TextFormat.count(levels(), "level", "levels"));
    corrected();
    Table table = new Table("span", "start>", "took>", "on path>", "on~");
    Deque<int[]> waiting = new ArrayDeque<>(); // a span and its depth
    for (int i = tops.length - 1; i >= 0; i--) {
      waiting.push(new int[] {tops[i], 0});
    }
    int rows = 0;
    while (!waiting.isEmpty() && rows < MAX_ROWS) {
      int[] next = waiting.pop();
      row(table, next[0], next[1], onPath, origin);
      rows++;
      for (int i = tree.childCount(next[0]) - 1; i >= 0; i--) {
        waiting.push(new int[] {tree.child(next[0], i), next[1] + 1});
      }
    }
    table.print(out);
    if (!waiting.isEmpty()) {
      int all = traceEnd() - tree.traceStart(trace);
      out.println("  and " + (all - rows) + " more (export --csv has them)");
    }
    new OpenSpansText(run.open())
        .ofTrace(spans.traceId(trace))
        .forEach(line -> out.sentence("  not ended: %s", line));
    Long outside = onPath.get(CriticalPath.NO_SPAN);
    if (outside != null || queueNanos[0] != 0) {
      out.println();
    }
    if (outside != null) {
      out.println("  " + TextFormat.duration(outside) + " of the path are in no span");
    }
    if (queueNanos[0] != 0) {
      out.println(
          "  "
              + TextFormat.duration(queueNanos[0])
              + " of the path are waits of calls that had been sent and did not run yet");
    }
  }

  /** Says if it is one of several traces whose ids begin with the same digits. */
  void printOthers(FoundTraces found, String digits) {
    if (found.others() > 0) {
      out.println();
      out.wrapped(
          "This is one of "
              + (found.others() + 1)
              + " traces of the run whose ids begin with "
              + digits
              + ". Give more digits for another, such as "
              + String.join(", ", found.otherIds())
              + ".");
    }
  }

  private void corrected() {
    Arrays.stream(tree.order(), tree.traceStart(trace), traceEnd())
        .mapToObj(span -> spans.processOf(span).host())
        .distinct()
        .filter(host -> run.clocks().shiftNanos(host) != 0)
        .forEach(
            host -> {
              long nanos = run.clocks().shiftNanos(host);
              out.printf(
                  "  times of %s are corrected: its clock was %s %s%n",
                  TextFormat.name(host, 26),
                  TextFormat.duration(Math.abs(nanos)),
                  nanos > 0 ? "ahead" : "behind");
            });
    out.println();
  }

  /** The start of the first top span that has one: those without times come first. */
  private long origin() {
    return Arrays.stream(tree.tops(trace))
        .filter(spans::isTimed)
        .mapToLong(spans::start)
        .findFirst()
        .orElse(0);
  }

  /** The number of levels of the spans. */
  private int levels() {
    int[] depths = tree.depths();
    return Arrays.stream(tree.order(), tree.traceStart(trace), traceEnd())
        .map(span -> depths[span] + 1)
        .max()
        .orElse(0);
  }

  private int traceEnd() {
    return tree.traceStart(trace + 1);
  }

  private void row(Table table, int span, int depth, Map<Integer, Long> onPath, long origin) {
    String indent =
        "  ".repeat(Math.min(depth, MAX_LEVELS)) + (depth > MAX_LEVELS ? depth + ": " : "");
    long nanos = onPath.getOrDefault(span, 0L);
    long since = spans.start(span) - origin;
    table.row(
        indent
            + TextFormat.spanName(
                spans.nameOf(span),
                Math.max(LEAST_NAME_COLUMNS, out.columns() - OTHER_COLUMNS) - indent.length())
            + (spans.isError(span) ? " !" : "")
            + (tree.parent(span) == SpanTree.UNKNOWN ? " ?" : ""),
        !spans.isTimed(span)
            ? "?"
            : since < 0 ? "-" + TextFormat.duration(-since) : "+" + TextFormat.duration(since),
        TextFormat.duration(spans.nanos(span)),
        nanos == 0 ? "" : TextFormat.duration(nanos),
        spans.processOf(span).label());
  }
}
