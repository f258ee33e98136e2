package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Who called whom, by names: spans of one name below callers of the same names are one call path.
 * They are of all spans, also of those that the timeline draws as one.
 */
final class PageCalls {

  private static final int TOP = -1;

  /** So deep a path is cut off; what lies below counts as work of its last call. */
  private static final int MAX_DEPTH = 100;

  /** So many paths are told apart while they are counted. */
  private static final int MAX_PATHS = 100_000;

  private final RunAnalysis run;
  private final Spans spans;
  private final PageNumbers numbers;

  /** Names of which executions were read: their senders' spans are no calls of their own. */
  private final BitSet executed = new BitSet();

  private final Map<Long, Integer> pathOf = new HashMap<>();
  private final int[] pathOfSpan;

  /** Spans that count as a call of their path; the others are work of it alone. */
  private final BitSet counted = new BitSet();

  private int[] parents = new int[64];
  private int[] names = new int[64];
  private int[] depths = new int[64];
  private long[] counts = new long[64];
  private long[] totals = new long[64];
  private long[] selfs = new long[64];
  private long[] errors = new long[64];
  private int paths;
  private long joined;

  PageCalls(RunAnalysis run, PageNumbers numbers) {
    this.run = run;
    this.spans = run.spans();
    this.numbers = numbers;
    this.pathOfSpan = new int[spans.size()];
    for (int span : run.members()) {
      if (!spans.isDispatch(span)) {
        executed.set(spans.name(span));
      }
    }
    Arrays.fill(pathOfSpan, Integer.MIN_VALUE);
    for (int span : run.members()) {
      follow(span);
    }
  }

  /** Finds the path of a span after those of its callers, which need not come before it. */
  private void follow(int span) {
    int[] open = new int[8];
    int depth = 0;
    for (int at = span;
        at >= 0 && pathOfSpan[at] == Integer.MIN_VALUE;
        at = run.tree().parent(at)) {
      if (depth == open.length) {
        open = Arrays.copyOf(open, 2 * depth);
      }
      open[depth++] = at;
    }
    while (depth > 0) {
      int at = open[--depth];
      int parent = run.tree().parent(at);
      pathOfSpan[at] = count(at, parent < 0 ? TOP : pathOfSpan[parent]);
    }
  }

  /** Counts a span, and gives its path. */
  private int count(int span, int parent) {
    int name = spans.name(span);
    if (!spans.isTimed(span) || (spans.isDispatch(span) && executed.get(name))) {
      return parent;
    }
    double weight = spans.weight(span);
    Integer known = pathOf.get(((long) parent << 32) + name);
    int path = known == null ? added(parent, name) : known;
    if (path != parent) {
      counted.set(span);
      counts[path] += Math.round(weight);
      totals[path] += times(weight, spans.nanos(span));
      errors[path] += spans.isError(span) ? Math.round(weight) : 0;
    } else {
      joined++;
    }
    if (path >= 0) {
      selfs[path] += times(weight, run.selfNanos(span));
    }
    return path;
  }

  private static long times(double weight, long nanos) {
    return weight == 1 ? nanos : Math.round(weight * nanos);
  }

  /** A new path; the parent itself where there are too many, or it is too deep. */
  private int added(int parent, int name) {
    int depth = parent == TOP ? 0 : depths[parent] + 1;
    if (paths == MAX_PATHS || depth == MAX_DEPTH) {
      return parent;
    }
    if (paths == names.length) {
      parents = Arrays.copyOf(parents, 2 * paths);
      names = Arrays.copyOf(names, 2 * paths);
      depths = Arrays.copyOf(depths, 2 * paths);
      counts = Arrays.copyOf(counts, 2 * paths);
      totals = Arrays.copyOf(totals, 2 * paths);
      selfs = Arrays.copyOf(selfs, 2 * paths);
      errors = Arrays.copyOf(errors, 2 * paths);
    }
    parents[paths] = parent;
    names[paths] = name;
    depths[paths] = depth;
    pathOf.put(((long) parent << 32) + name, paths);
    return paths++;
  }

  /**
   * Writes the paths with the most work: of each its caller's place, name, count, total, self and
   * errors. A caller comes before what it calls.
   */
  void write(JsonRows json, ReportContents contents, PageLimits limits) {
    int most = limits.calls();
    long[] work = Arrays.copyOf(selfs, paths);
    for (int path = paths - 1; path >= 0; path--) {
      if (parents[path] != TOP) {
        work[parents[path]] += work[path];
      }
    }
    // A caller has at least the work of what it calls, and has the lower number.
    int[] listed =
        IntStream.range(0, paths)
            .boxed()
            .sorted((a, b) -> work[a] != work[b] ? Long.compare(work[b], work[a]) : a - b)
            .limit(most)
            .mapToInt(Integer::intValue)
            .sorted()
            .toArray();
    int[] places = new int[paths];
    Arrays.fill(places, TOP);
    for (int i = 0; i < listed.length; i++) {
      places[listed[i]] = i;
    }
    json.object(
        "calls",
        () ->
            json.put("leftOut", paths - listed.length)
                .put("joined", joined)
                .array(
                    "paths",
                    () -> {
                      for (int path : listed) {
                        json.arrayElement(() -> write(json, path, places));
                      }
                    })
                .put("bySteps", bySteps(places, contents, limits))
                .put("byWorkers", byWorkers(places, limits)));
  }

  /** Of each bar of the chart of steps; empty where there is no room for it. */
  private String bySteps(int[] places, ReportContents contents, PageLimits limits) {
    List<Steps.Step> steps = contents.steps().all();
    int perBar = PageSteps.perBar(steps.size(), limits);
    int[] barOfStep = new int[spans.size()];
    Arrays.fill(barOfStep, -1);
    for (int i = 0; i < steps.size(); i++) {
      barOfStep[steps.get(i).span()] = i / perBar;
    }
    return sliced(places, limits, span -> run.stepOf(span) < 0 ? -1 : barOfStep[run.stepOf(span)]);
  }

  /** Of each worker; empty where there is no room for it. */
  private String byWorkers(int[] places, PageLimits limits) {
    return sliced(places, limits, span -> numbers.worker(spans.process(span)));
  }

  private String sliced(int[] places, PageLimits limits, IntUnaryOperator sliceOf) {
    PageCallSlices slices = new PageCallSlices(limits.slices());
    for (int span : run.members()) {
      int path = pathOfSpan[span];
      if (path >= 0 && spans.isTimed(span) && !slices.isTooMuch()) {
        double weight = spans.weight(span);
        boolean isCall = counted.get(span);
        slices.add(
            sliceOf.applyAsInt(span),
            places[path],
            isCall ? Math.round(weight) : 0,
            isCall ? times(weight, spans.nanos(span)) : 0,
            times(weight, run.selfNanos(span)),
            isCall && spans.isError(span) ? Math.round(weight) : 0);
      }
    }
    return slices.isTooMuch() ? "" : slices.base64();
  }

  private void write(JsonRows json, int path, int[] places) {
    json.numbers(
        parents[path] == TOP ? TOP : places[parents[path]],
        numbers.name(names[path]),
        counts[path],
        totals[path],
        selfs[path],
        errors[path]);
  }
}
