package io.rollotel.traces.analysis;

import io.rollotel.traces.analysis.Forest.Node;
import io.rollotel.traces.analysis.Forest.Place;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.LostParents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The stand-ins for the missing parents of a forest, by the table in docs/analysis.md. */
final class LostNodes {

  private static final Resource NOWHERE =
      new Resource(Map.of("service.name", LostParents.NOT_THERE));

  private final Forest forest;
  private final Map<Place, Span> open = new HashMap<>();
  private final List<Node> ofOpen = new ArrayList<>();

  LostNodes(Forest forest, List<Span> open) {
    this.forest = forest;
    open.forEach(
        span ->
            this.open.put(new Place(Forest.id(span.traceId()), Forest.id(span.spanId())), span));
  }

  void add() {
    for (Node node : List.copyOf(forest.nodes)) {
      findOpenParent(node);
    }
    for (Node node : forest.nodes) {
      lastsAsLongAsWhatIsBelow(node);
    }
    Map<Long, List<Node>> tops = new TreeMap<>();
    forest.nodes.stream()
        .filter(node -> node.parent == null)
        .forEach(node -> tops.computeIfAbsent(node.trace, none -> new ArrayList<>()).add(node));
    tops.values().forEach(this::addLost);
  }

  /** An open span has the name, the process, the start and the parent that its recorder tells. */
  private void findOpenParent(Node orphan) {
    Node node = orphan;
    while (node.parent == null && node.parentId() != 0) {
      Place place = new Place(node.trace, node.parentId());
      Node parent = forest.byPlace.get(place);
      Span span = open.get(place);
      if (parent == null && span != null) {
        parent = virtual(span, span.name(), span.spanId(), span.parentSpanId(), span.resource());
        parent.end = parent.start;
        parent.isVirtualRoot = parent.parentId() == 0;
        ofOpen.add(parent);
      }
      if (parent == null) {
        return;
      }
      node.parent = parent;
      node = parent;
    }
  }

  private void lastsAsLongAsWhatIsBelow(Node node) {
    for (Node at = node.parent; at != null; at = at.parent) {
      if (ofOpen.contains(at)) {
        at.end = Math.max(at.end, node.end);
      }
    }
  }

  /** The tops of one trace: those of one lost parent lie below that, all below a root. */
  private void addLost(List<Node> tops) {
    boolean hasRoot = tops.stream().anyMatch(top -> top.parentId() == 0);
    Map<Long, List<Node>> byParent = new TreeMap<>();
    for (Node top : tops) {
      byParent.computeIfAbsent(top.parentId(), none -> new ArrayList<>()).add(top);
    }
    List<Node> under = new ArrayList<>();
    Node lost = null;
    for (Map.Entry<Long, List<Node>> one : byParent.entrySet()) {
      List<Node> children = one.getValue();
      if (one.getKey() != 0 && children.size() > 1) {
        lost = above(children, one.getKey());
        under.add(lost);
      } else {
        under.addAll(children);
      }
    }
    if (!hasRoot) {
      Node root = under.size() == 1 && lost != null ? lost : above(under, 0);
      root.isVirtualRoot = true;
    }
  }

  private Node above(List<Node> children, long id) {
    Span like = children.get(0).span;
    Node lost = virtual(like, LostParents.NOT_THERE, String.format("%016x", id), "", NOWHERE);
    lost.start = children.stream().mapToLong(child -> child.start).min().orElseThrow();
    lost.end = children.stream().mapToLong(child -> child.end).max().orElseThrow();
    children.forEach(child -> child.parent = lost);
    return lost;
  }

  private Node virtual(Span like, String name, String id, String parentId, Resource resource) {
    long start = like.startEpochNanos();
    Node node =
        forest.add(
            new Span(
                like.traceId(), id, parentId, name, 1, start, start, Map.of(), 0, resource, "", ""),
            true);
    node.parent = parentOf(node);
    return node;
  }

  private @Nullable Node parentOf(Node node) {
    return node.parentId() == 0 ? null : forest.byPlace.get(new Place(node.trace, node.parentId()));
  }
}
