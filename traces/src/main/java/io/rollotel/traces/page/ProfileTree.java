package io.rollotel.traces.page;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.Frame;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The activity in some spans: the methods that ran, below their callers, and other activities.
 * Frames of the JDK above the application's first one are left out, and so are line numbers in the
 * JDK.
 */
final class ProfileTree {

  /** A frame below others, and its own time. */
  static final class Node {
    final Map<Frame, Node> below = new LinkedHashMap<>();
    final StepSeries byBar = new StepSeries();
    double nanos;

    Node below(Frame frame) {
      return below.computeIfAbsent(frame, none -> new Node());
    }
  }

  /** The activity in the steps of one bar of the chart. */
  static final class Bar {
    final int number;
    final Map<Activity, Double> nanos = new EnumMap<>(Activity.class);
    int spans;

    Bar(int number) {
      this.number = number;
    }
  }

  private interface Sink {
    void add(Node node, double nanos);
  }

  private final Node root = new Node();
  private final List<Bar> bars = new ArrayList<>();
  private final boolean hasLines;

  /** The time that one sample represents. */
  private final double sampleNanos;

  /**
   * The tree of some time.
   *
   * @param hasLines whether a method has a node for each of its lines
   */
  ProfileTree(Breakdown breakdown, boolean hasLines) {
    this.hasLines = hasLines;
    this.sampleNanos = breakdown.nanos(Activity.RUNNING) / Math.max(1, breakdown.samples());
    ran(breakdown, (node, nanos) -> node.nanos += nanos);
    waited(breakdown, (node, nanos) -> node.nanos += nanos);
  }

  /**
   * Adds the part of the time in a step. A step has few samples: each counts as much as in the
   * whole time, and readers scale them to the time in which threads ran.
   *
   * @param bar the step's bar; bars come in their order
   * @return how many numbers this adds to the page
   */
  int addStep(int bar, Breakdown breakdown) {
    int[] added = {0};
    Bar last = bars.isEmpty() ? null : bars.get(bars.size() - 1);
    if (last == null || last.number != bar) {
      last = new Bar(bar);
      bars.add(last);
      added[0]++;
    }
    last.spans += breakdown.spans();
    for (Activity activity : breakdown.activities()) {
      added[0] += last.nanos.containsKey(activity) ? 0 : 1;
      last.nanos.merge(activity, breakdown.nanos(activity), Double::sum);
    }
    double running = breakdown.nanos(Activity.RUNNING);
    double weight = running == 0 ? 0 : sampleNanos * breakdown.samples() / running;
    Sink sink = (node, nanos) -> added[0] += node.byBar.add(bar, nanos) ? 1 : 0;
    ran(breakdown, (node, nanos) -> sink.add(node, weight * nanos));
    waited(breakdown, sink);
    return added[0];
  }

  private void ran(Breakdown breakdown, Sink sink) {
    breakdown.forEachStack((frames, nanos) -> sink.add(node(frames), nanos));
  }

  private void waited(Breakdown breakdown, Sink sink) {
    for (Activity activity : breakdown.activities()) {
      if (activity != Activity.RUNNING) {
        Node waited = root.below(new Frame("[" + activity.words() + "]", 0));
        double left = breakdown.nanos(activity);
        for (Breakdown.Detail detail : breakdown.details(activity)) {
          if (!detail.what().isEmpty()) {
            sink.add(waited.below(new Frame(detail.what(), 0)), detail.nanos());
            left -= detail.nanos();
          }
        }
        if (left >= 1) {
          sink.add(waited, left);
        }
      }
    }
  }

  private Node node(List<Frame> frames) {
    int first = 0;
    while (first < frames.size() - 1 && frames.get(first).isPlatform()) {
      first++;
    }
    Node at = root;
    for (Frame frame : frames.subList(first, frames.size())) {
      at = at.below(hasLines && !frame.isPlatform() ? frame : frame.withoutLine());
    }
    return at;
  }

  Node root() {
    return root;
  }

  /** Those in which there was any, in their order. */
  List<Bar> bars() {
    return bars;
  }

  /** How many nodes it has. */
  int size() {
    return size(root) - 1;
  }

  private static int size(Node node) {
    return 1 + node.below.values().stream().mapToInt(ProfileTree::size).sum();
  }
}
