package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Requests of a run without steps, by the names of their roots: how many began and failed over
 * time, and the slowest. For all traces, or for a part of them.
 */
final class RequestSums implements Serializable {

  private static final int ROOTS = 50;

  /** The number of listed traces for each root: as many slow ones as failed ones. */
  private static final int TRACES = 20;

  /** How finely rates are shown over time. */
  private static final int COLUMNS = 120;

  /**
   * A trace.
   *
   * @param place the place of its root's name
   * @param root its number among the inspected spans
   * @param startNanos since the run's start
   * @param failure why its root failed
   */
  record Request(
      int place,
      int root,
      String traceId,
      String spanId,
      long nanos,
      long startNanos,
      boolean isFailed,
      String failure)
      implements Comparable<Request>, Serializable {

    private static final Comparator<Request> SLOWEST_FIRST =
        Comparator.comparingLong(Request::nanos)
            .reversed()
            .thenComparingLong(Request::startNanos)
            .thenComparing(Request::traceId)
            .thenComparing(Request::spanId);

    @Override
    public int compareTo(Request other) {
      return SLOWEST_FIRST.compare(this, other);
    }
  }

  /**
   * Facts about the run that are needed first.
   *
   * @param roots the numbers of the listed names
   */
  record Frame(List<Integer> roots, long startEpochNanos, long columnNanos)
      implements Serializable {

    static Frame of(ReportContents contents) {
      return new Frame(
          RequestSums.roots(contents).stream().map(root -> root.name().number()).toList(),
          contents.header().startEpochNanos(),
          Math.max(1, (contents.header().wallNanos() + COLUMNS - 1) / COLUMNS));
    }
  }

  private final double[][] begun;
  private final double[][] failed;
  private final List<PriorityQueue<Request>> slow = new ArrayList<>();
  private final List<PriorityQueue<Request>> slowFailed = new ArrayList<>();

  /** How many spans of a listed trace failed, including roots. */
  private final Map<Request, Integer> errors = new HashMap<>();

  /** How many spans a listed trace has. */
  private final Map<Request, Integer> sizes = new HashMap<>();

  /** The names of roots that the page lists. */
  static List<ReportContents.RootRow> roots(ReportContents contents) {
    return contents.roots().stream().limit(ROOTS).toList();
  }

  /** Of no trace. */
  RequestSums(Frame frame) {
    int places = frame.roots.size() + 1;
    this.begun = new double[places][COLUMNS];
    this.failed = new double[places][COLUMNS];
    for (int i = 0; i < places; i++) {
      slow.add(new PriorityQueue<>(Collections.reverseOrder()));
      slowFailed.add(new PriorityQueue<>(Collections.reverseOrder()));
    }
  }

  RequestSums(Frame frame, RunAnalysis run) {
    this(frame);
    Map<Integer, Integer> placeOfName = new HashMap<>();
    frame.roots.forEach(root -> placeOfName.put(root, placeOfName.size()));
    Spans spans = run.spans();
    for (Steps.Step trace : run.steps().all()) {
      int root = trace.span();
      int place = placeOfName.getOrDefault(spans.name(root), frame.roots.size());
      long startNanos = spans.start(root) - frame.startEpochNanos;
      int column = (int) Math.min(COLUMNS - 1, Math.max(0, startNanos) / frame.columnNanos);
      begun[place][column] += spans.weight(root);
      failed[place][column] += spans.isError(root) ? spans.weight(root) : 0;
      long nanos = run.requestNanos(root);
      if (place < frame.roots.size() && isListed(place, nanos, spans.isError(root))) {
        keep(
            new Request(
                place,
                root,
                spans.traceIdOf(root),
                spans.spanId(root),
                nanos,
                startNanos,
                spans.isError(root),
                spans.failureText(spans.failure(root))));
      }
    }
    countSpans(run);
  }

  /** Whether it may be among the slowest of its name. */
  private boolean isListed(int place, long nanos, boolean isFailed) {
    return isListed(slow.get(place), nanos) || (isFailed && isListed(slowFailed.get(place), nanos));
  }

  private static boolean isListed(PriorityQueue<Request> fastestFirst, long nanos) {
    Request fastest = fastestFirst.peek();
    return fastest == null || fastestFirst.size() < TRACES || nanos >= fastest.nanos;
  }

  private void keep(Request request) {
    keepSlowest(slow.get(request.place), request);
    if (request.isFailed) {
      keepSlowest(slowFailed.get(request.place), request);
    }
  }

  private static void keepSlowest(PriorityQueue<Request> fastestFirst, Request request) {
    fastestFirst.add(request);
    if (fastestFirst.size() > TRACES) {
      fastestFirst.remove();
    }
  }

  private void countSpans(RunAnalysis run) {
    Map<Integer, Request> listed =
        listed().stream().collect(Collectors.toMap(Request::root, request -> request));
    for (int span : run.members()) {
      Request request = listed.get(run.stepOf(span));
      if (request != null) {
        sizes.merge(request, 1, Integer::sum);
        errors.merge(request, run.spans().isError(span) ? 1 : 0, Integer::sum);
      }
    }
  }

  /** Adds those of other traces. */
  void add(RequestSums other) {
    for (int place = 0; place < begun.length; place++) {
      for (int column = 0; column < COLUMNS; column++) {
        begun[place][column] += other.begun[place][column];
        failed[place][column] += other.failed[place][column];
      }
    }
    other.listed().forEach(this::keep);
    Set<Request> listed = Set.copyOf(listed());
    errors.putAll(other.errors);
    errors.keySet().retainAll(listed);
    sizes.putAll(other.sizes);
    sizes.keySet().retainAll(listed);
  }

  /** The slowest traces and the slowest failed ones of each name, the slowest of all first. */
  List<Request> listed() {
    return Stream.concat(slow.stream(), slowFailed.stream())
        .flatMap(Collection::stream)
        .distinct()
        .sorted()
        .toList();
  }

  /** How many spans its trace has. */
  int spans(Request request) {
    return sizes.getOrDefault(request, 0);
  }

  /** How many of them failed. */
  int errors(Request request) {
    return errors.getOrDefault(request, 0);
  }

  /** How many began over time; the place after the last one is for all other names. */
  long[] begun(int place) {
    return rounded(begun[place]);
  }

  long[] failed(int place) {
    return rounded(failed[place]);
  }

  private static long[] rounded(double[] counts) {
    long[] rounded = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      rounded[i] = Math.round(counts[i]);
    }
    return rounded;
  }
}
