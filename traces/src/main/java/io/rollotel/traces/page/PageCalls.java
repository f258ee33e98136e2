package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.StringTable;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Who called whom, by name: spans of one name below callers of the same names are one call path.
 * They cover all spans, including those that the timeline draws as one.
 */
final class PageCalls implements Serializable {

  private static final int TOP = -1;

  /** A path deeper than this is cut off; deeper calls count as work of its last call. */
  private static final int MAX_DEPTH = 100;

  /** How many paths are distinguished while counting. */
  private static final int MAX_PATHS = 100_000;

  /** Null if these are the paths of parts, which have none by step and by worker. */
  private transient @Nullable Followed whole;

  /** Some spans, and the path of each. */
  private static final class Followed {
    private final RunAnalysis run;
    private final int[] pathOfSpan;

    /** The spans that count as calls of their path; the others only add work to it. */
    private final BitSet counted = new BitSet();

    Followed(RunAnalysis run) {
      this.run = run;
      this.pathOfSpan = new int[run.spans().size()];
      Arrays.fill(pathOfSpan, Integer.MIN_VALUE);
    }
  }

  private final Map<Long, Integer> pathOf = new HashMap<>();

  private int[] parents = new int[64];
  private int[] names = new int[64];
  private int[] depths = new int[64];
  private long[] counts = new long[64];
  private long[] totals = new long[64];
  private long[] selfs = new long[64];
  private long[] errors = new long[64];
  private int paths;
  private long joined;

  /** Empty histograms. */
  PageCalls() {}

  /** The paths of all spans of a run. */
  static PageCalls ofWhole(RunAnalysis run) {
    PageCalls calls = new PageCalls();
    calls.whole = calls.follow(run);
    return calls;
  }

  static PageCalls ofPart(RunAnalysis part) {
    PageCalls calls = new PageCalls();
    calls.follow(part);
    return calls;
  }

  private Followed follow(RunAnalysis run) {
    Followed spans = new Followed(run);
    for (int span : run.members()) {
      follow(spans, span);
    }
    return spans;
  }

  /** Adds the paths of another part of the run. */
  void add(PageCalls other) {
    joined += other.joined;
    int[] pathOfOther = new int[other.paths];
    for (int i = 0; i < other.paths; i++) {
      // A caller comes before its callees.
      int parent = other.parents[i] == TOP ? TOP : pathOfOther[other.parents[i]];
      Integer known = pathOf.get(((long) parent << 32) + other.names[i]);
      int path = known == null ? added(parent, other.names[i]) : known;
      pathOfOther[i] = path;
      if (path != parent) {
        counts[path] += other.counts[i];
        totals[path] += other.totals[i];
        errors[path] += other.errors[i];
      } else {
        joined += other.counts[i];
      }
      if (path >= 0) {
        selfs[path] += other.selfs[i];
      }
    }
  }

  /** Finds the path of a span after those of its callers, which may come later. */
  private void follow(Followed spans, int span) {
    SpanTree tree = spans.run.tree();
    int[] open = new int[8];
    int depth = 0;
    for (int at = span;
        at >= 0 && spans.pathOfSpan[at] == Integer.MIN_VALUE;
        at = tree.parent(at)) {
      if (depth == open.length) {
        open = Arrays.copyOf(open, 2 * depth);
      }
      open[depth++] = at;
    }
    while (depth > 0) {
      int at = open[--depth];
      int parent = tree.parent(at);
      spans.pathOfSpan[at] = count(spans, at, parent < 0 ? TOP : spans.pathOfSpan[parent]);
    }
  }

  /** Counts a span, and returns its path. */
  private int count(Followed followed, int span, int parent) {
    RunAnalysis run = followed.run;
    Spans spans = run.spans();
    int name = spans.name(span);
    if (!spans.isTimed(span) || run.isDispatch(span)) {
      return parent;
    }
    double weight = spans.weight(span);
    Integer known = pathOf.get(((long) parent << 32) + name);
    int path = known == null ? added(parent, name) : known;
    if (path != parent) {
      followed.counted.set(span);
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

  /** A new path; the parent itself if there are too many paths, or it is too deep. */
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
   * Writes the paths with the most work: for each, its caller's place, name, count, total, self and
   * errors. A caller comes before its callees, and the callee with the most work comes first.
   */
  void write(JsonRows json, ReportContents contents, PageNumbers numbers, PageLimits limits) {
    int most = limits.calls();
    long[] work = Arrays.copyOf(selfs, paths);
    for (int path = paths - 1; path >= 0; path--) {
      if (parents[path] != TOP) {
        work[parents[path]] += work[path];
      }
    }
    int[] order = inOrder(work, contents.totals().spans().names());
    int[] place = new int[paths];
    for (int i = 0; i < paths; i++) {
      place[order[i]] = i;
    }
    // A caller has at least the work of its callees, and comes before them.
    int[] listed =
        IntStream.of(order)
            .boxed()
            .sorted(Comparator.comparingLong(path -> -work[path])) // is stable
            .limit(most)
            .sorted(Comparator.comparingInt(path -> place[path]))
            .mapToInt(Integer::intValue)
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
                        json.arrayElement(() -> write(json, path, numbers, places));
                      }
                    })
                .put("bySteps", bySteps(places, contents, limits))
                .put("byWorkers", byWorkers(places, numbers, limits)));
  }

  /**
   * Each caller before its callees, and the callee with the most work first: an order that does not
   * depend on the order in which the paths were found.
   */
  private int[] inOrder(long[] work, StringTable texts) {
    Map<Integer, List<Integer>> called = new HashMap<>();
    for (int path = 0; path < paths; path++) {
      called.computeIfAbsent(parents[path], none -> new ArrayList<>()).add(path);
    }
    // The next ones are at the end.
    Comparator<Integer> lastFirst =
        Comparator.comparingLong((Integer path) -> work[path])
            .thenComparing(path -> texts.text(names[path]), Comparator.reverseOrder());
    called.values().forEach(siblings -> siblings.sort(lastFirst));
    List<Integer> open = new ArrayList<>(called.getOrDefault(TOP, List.of()));
    int[] order = new int[paths];
    for (int i = 0; i < paths; i++) {
      order[i] = open.remove(open.size() - 1);
      open.addAll(called.getOrDefault(order[i], List.of()));
    }
    return order;
  }

  /** For each bar of the chart of steps; empty if there is no room for it. */
  private String bySteps(int[] places, ReportContents contents, PageLimits limits) {
    Followed all = whole;
    if (all == null) {
      return "";
    }
    RunAnalysis run = all.run;
    List<Steps.Step> steps = contents.steps().all();
    int perBar = PageSteps.perBar(steps.size(), limits);
    int[] barOfStep = new int[run.spans().size()];
    Arrays.fill(barOfStep, -1);
    for (int i = 0; i < steps.size(); i++) {
      barOfStep[steps.get(i).span()] = i / perBar;
    }
    return sliced(
        all, places, limits, span -> run.stepOf(span) < 0 ? -1 : barOfStep[run.stepOf(span)]);
  }

  /** For each worker; empty if there is no room for it. */
  private String byWorkers(int[] places, PageNumbers numbers, PageLimits limits) {
    Followed all = whole;
    return all == null
        ? ""
        : sliced(all, places, limits, span -> numbers.worker(all.run.spans().process(span)));
  }

  private static String sliced(
      Followed all, int[] places, PageLimits limits, IntUnaryOperator sliceOf) {
    RunAnalysis run = all.run;
    Spans spans = run.spans();
    PageCallSlices slices = new PageCallSlices(limits.slices());
    for (int span : run.members()) {
      int path = all.pathOfSpan[span];
      if (path >= 0 && spans.isTimed(span) && !slices.isTooMuch()) {
        double weight = spans.weight(span);
        boolean isCall = all.counted.get(span);
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

  private void write(JsonRows json, int path, PageNumbers numbers, int[] places) {
    json.numbers(
        parents[path] == TOP ? TOP : places[parents[path]],
        numbers.name(names[path]),
        counts[path],
        totals[path],
        selfs[path],
        errors[path]);
  }
}
