package io.rollotel.examples.agentrun;

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import io.rollotel.telemetry.WorkerSpan;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Best-first search for a way to the solved board, in steps: A* with a weighted estimate. The
 * greater the weight, the sooner it finds a way and the longer that way is.
 */
final class Search {

  private record Node(Board board, @Nullable Node parent, int moves, double estimate) {}

  private final double weight;
  private final PriorityQueue<Node> open =
      new PriorityQueue<>(Comparator.comparingDouble(Node::estimate));
  private final Map<Board, Integer> fewestMoves = new HashMap<>();
  private int expanded;
  private int nearest;
  private @Nullable Node goal;

  Search(Board start, double weight) {
    this.weight = weight;
    nearest = start.distance();
    add(start, null);
  }

  /**
   * Looks at this many more boards, or until it has found a way.
   *
   * @return how much nearer the search has come: the decrease of the least distance seen
   */
  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier") // it is called in its step
  int expand(@SpanAttribute("boards") int boards) {
    int before = nearest;
    int until = expanded + boards;
    while (goal == null && expanded < until) {
      Node next = open.remove();
      if (next.moves > fewestMoves.getOrDefault(next.board, 0)) {
        continue; // a shorter way to it was found meanwhile
      }
      expanded++;
      nearest = Math.min(nearest, next.board.distance());
      if (next.board.equals(Board.SOLVED)) {
        goal = next;
      } else {
        next.board.neighbours().forEach(board -> add(board, next));
      }
    }
    WorkerSpan.current().set("reward", before - nearest).set("expanded", expanded);
    return before - nearest;
  }

  private void add(Board board, @Nullable Node parent) {
    int moves = parent == null ? 0 : parent.moves + 1;
    Integer known = fewestMoves.get(board);
    if (known == null || moves < known) {
      fewestMoves.put(board, moves);
      open.add(new Node(board, parent, moves, moves + weight * board.distance()));
    }
  }

  boolean isSolved() {
    return goal != null;
  }

  int expanded() {
    return expanded;
  }

  int nearest() {
    return nearest;
  }

  /** The way that was found, with both ends; empty before. */
  List<Board> way() {
    Deque<Board> way = new ArrayDeque<>();
    for (Node node = goal; node != null; node = node.parent) {
      way.addFirst(node.board);
    }
    return List.copyOf(way);
  }
}
