package io.rollotel.traces.analysis;

import io.rollotel.traces.analysis.Forest.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Fan-outs, found from the definition for each span and each name by itself. */
final class FanOutOracle {

  /** The fan-outs of one name, and the stragglers with how often they were last and the cost. */
  record Totals(long fanOuts, long costNanos, long lagNanos, Map<String, List<Long>> stragglers) {}

  private final Forest forest;
  private final Map<String, Totals> totals = new TreeMap<>();

  FanOutOracle(Forest forest) {
    this.forest = forest;
  }

  Map<String, Totals> totals() {
    Set<String> names = forest.nodes.stream().map(Node::name).collect(Collectors.toSet());
    for (String name : names) {
      Map<Node, List<Node>> left = new HashMap<>();
      for (Node node : forest.nodes) {
        left(node, name, left);
      }
    }
    return totals;
  }

  /** What a span waited for that is in no fan-out of its own or of one below it. */
  private List<Node> left(Node waiting, String name, Map<Node, List<Node>> known) {
    List<Node> left = known.get(waiting);
    if (left != null) {
      return left;
    }
    List<Node> called = new ArrayList<>();
    List<Node> beside = new ArrayList<>();
    for (Node other : forest.waitedFor(waiting)) {
      if (isElsewhere(other) && work(other).name().equals(name)) {
        called.add(work(other));
      } else if (!isElsewhere(other) && other.name().equals(name)) {
        beside.add(other);
      }
      List<Node> below = left(other, name, known);
      if (!forest.isStep(other)) {
        called.addAll(below);
      }
    }
    left = called.isEmpty() ? List.of() : fanOuts(name, called, beside);
    known.put(waiting, left);
    return left;
  }

  private List<Node> fanOuts(String name, List<Node> called, List<Node> beside) {
    List<Node> all = new ArrayList<>(called);
    all.addAll(beside);
    // A caller of one of them is not its peer.
    List<Node> everybody = List.copyOf(all);
    all.removeIf(node -> everybody.stream().anyMatch(other -> isAbove(node, other)));
    all.sort(
        Comparator.comparingLong(this::sent)
            .thenComparing((a, b) -> a.equals(b) ? 0 : a.isBefore(b) ? -1 : 1));
    List<Node> left = new ArrayList<>();
    List<Node> chain = new ArrayList<>();
    for (Node node : all) {
      boolean isAlone = chain.size() == 1;
      if (chain.stream()
          .allMatch(before -> before.end - (isAlone ? tolerance(before) : 0) <= sent(node))) {
        left.addAll(fanOut(name, chain));
        chain = new ArrayList<>();
      }
      chain.add(node);
    }
    left.addAll(fanOut(name, chain));
    left.retainAll(called);
    return left;
  }

  /** A single call counts as ended a tenth of its time early. */
  private static long tolerance(Node call) {
    return (call.end - call.start) / 10;
  }

  private static boolean isAbove(Node above, Node below) {
    for (Node at = below.parent; at != null; at = at.parent) {
      if (at.equals(above)) {
        return true;
      }
    }
    return false;
  }

  /** Those that are none. */
  private List<Node> fanOut(String name, List<Node> chain) {
    Map<String, Long> ends = new HashMap<>();
    chain.forEach(node -> ends.merge(node.process(), node.end, Math::max));
    if (ends.size() < 2) {
      return chain;
    }
    List<Long> sorted = ends.values().stream().sorted(Comparator.reverseOrder()).toList();
    long cost = sorted.get(0) - sorted.get(1);
    long lag = sorted.get(0) - sorted.get(sorted.size() / 2);
    Node last =
        chain.stream()
            .reduce((a, b) -> a.end > b.end || (a.end == b.end && a.isBefore(b)) ? a : b)
            .orElseThrow();
    Totals before = totals.getOrDefault(name, new Totals(0, 0, 0, new TreeMap<>()));
    before.stragglers.merge(
        last.process(), List.of(1L, cost), (a, b) -> List.of(a.get(0) + 1, a.get(1) + b.get(1)));
    totals.put(
        name,
        new Totals(
            before.fanOuts + 1, before.costNanos + cost, before.lagNanos + lag, before.stragglers));
    return List.of();
  }

  private static boolean isElsewhere(Node node) {
    Node parent = node.parent;
    return parent != null && !parent.process().equals(node.process());
  }

  /** When the call that this span executes was sent. */
  private long sent(Node done) {
    Node call = done;
    while (call.parent != null && isDoneInOne(call.parent)) {
      call = call.parent;
    }
    return Math.min(call.start, PathOracle.sent(forest, call, call.start));
  }

  private boolean isDoneInOne(Node call) {
    return !work(call).equals(call);
  }

  /** What was done for a call. */
  private Node work(Node call) {
    List<Node> children = forest.nodes.stream().filter(node -> call.equals(node.parent)).toList();
    boolean isDoneInOne =
        call.isSent() && children.size() == 1 && children.get(0).process().equals(call.process());
    return isDoneInOne ? work(children.get(0)) : call;
  }

  /** What the analysis says. */
  static Map<String, Totals> found(RunAnalysis run) {
    Map<String, Totals> found = new TreeMap<>();
    for (FanOuts.Totals totals : run.fanOuts()) {
      Map<String, List<Long>> stragglers = new TreeMap<>();
      for (FanOuts.Straggler straggler : totals.stragglers()) {
        stragglers.put(
            run.spans().processes().get(straggler.process()).instanceId(),
            List.of(straggler.times(), straggler.costNanos()));
      }
      found.put(
          run.spans().names().text(totals.name()),
          new Totals(totals.fanOuts(), totals.costNanos(), totals.lagNanos(), stragglers));
    }
    return found;
  }
}
