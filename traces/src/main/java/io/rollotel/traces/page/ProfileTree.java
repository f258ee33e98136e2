package io.rollotel.traces.page;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.Frame;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was done in some spans: the methods that ran, below those that called them, and what was
 * done instead of running. Frames of the JDK above the application's first are left out, and so are
 * the JDK's lines.
 */
final class ProfileTree {

  /** A frame below others, and the time that it had itself. */
  static final class Node {
    final Map<Frame, Node> below = new LinkedHashMap<>();
    double nanos;

    Node below(Frame frame) {
      return below.computeIfAbsent(frame, none -> new Node());
    }
  }

  private final Node root = new Node();
  private final boolean hasLines;

  /**
   * The tree of some time.
   *
   * @param hasLines whether a method has a node for each of its lines
   */
  ProfileTree(Breakdown breakdown, boolean hasLines) {
    this.hasLines = hasLines;
    breakdown.forEachStack((frames, nanos) -> node(frames).nanos += nanos);
    for (Activity activity : breakdown.activities()) {
      if (activity != Activity.RUNNING) {
        Node waited = root.below(new Frame("[" + activity.words() + "]", 0));
        double left = breakdown.nanos(activity);
        for (Breakdown.Detail detail : breakdown.details(activity)) {
          if (!detail.what().isEmpty()) {
            waited.below(new Frame(detail.what(), 0)).nanos += detail.nanos();
            left -= detail.nanos();
          }
        }
        waited.nanos += Math.max(0, left);
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

  /** How many nodes it has. */
  int size() {
    return size(root) - 1;
  }

  private static int size(Node node) {
    return 1 + node.below.values().stream().mapToInt(ProfileTree::size).sum();
  }
}
