package io.rollotel.traces.spans;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Lanes for drawing the spans of each process: two spans of one lane are either disjoint, or one
 * contains the other.
 *
 * <p>A span is in its parent's lane if it fits there, otherwise in the first empty one.
 */
public final class Lanes {

  private static final class Tracks {
    /** The lanes with open spans: until when, and which. */
    final PriorityQueue<long[]> open = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));

    final PriorityQueue<Integer> empty = new PriorityQueue<>();

    /** The ends of each lane's open spans, the innermost first. */
    final Map<Integer, Deque<Long>> ends = new HashMap<>();

    int count;
  }

  private final Spans spans;
  private final SpanTree tree;
  private final int[] laneOf;
  private final Tracks[] processes;

  /**
   * Places the timed spans of a run.
   *
   * @param byStart in the order of {@link #byStart}
   */
  public Lanes(Spans spans, SpanTree tree, int[] byStart) {
    this.spans = spans;
    this.tree = tree;
    this.laneOf = new int[spans.size()];
    this.processes = new Tracks[spans.processes().size()];
    Arrays.fill(laneOf, -1);
    for (int span : byStart) {
      place(span);
    }
  }

  /**
   * Sorts timed spans by their starts; if these are equal, the longer first; if the ends are equal
   * as well, the parent first.
   */
  public static int[] byStart(Spans spans, SpanTree tree, int[] timed) {
    int[] sorted = timed.clone();
    int[] depths = tree.depths();
    IndexSort.sort(
        sorted,
        (a, b) ->
            spans.start(a) != spans.start(b)
                ? spans.start(a) < spans.start(b)
                : spans.end(a) != spans.end(b)
                    ? spans.end(a) > spans.end(b)
                    : depths[a] < depths[b]);
    return sorted;
  }

  private void place(int span) {
    int number = spans.process(span);
    if (processes[number] == null) {
      processes[number] = new Tracks();
    }
    Tracks process = processes[number];
    long start = spans.start(span);
    long end = spans.end(span);
    while (!process.open.isEmpty() && process.open.element()[0] <= start) {
      int lane = (int) process.open.remove()[1];
      process.ends.remove(lane);
      process.empty.add(lane);
    }
    int parent = tree.parent(span);
    if (parent >= 0 && spans.process(parent) == number && laneOf[parent] >= 0) {
      Deque<Long> ends = process.ends.get(laneOf[parent]);
      if (ends != null) {
        while (!ends.isEmpty() && ends.getFirst() <= start) {
          ends.removeFirst();
        }
        if (!ends.isEmpty() && ends.getFirst() >= end) {
          ends.addFirst(end);
          laneOf[span] = laneOf[parent];
          return;
        }
      }
    }
    Integer empty = process.empty.poll();
    int lane = empty == null ? process.count++ : empty;
    laneOf[span] = lane;
    if (end > start) {
      Deque<Long> ends = new ArrayDeque<>();
      ends.add(end);
      process.ends.put(lane, ends);
      process.open.add(new long[] {end, lane});
    } else {
      process.empty.add(lane);
    }
  }

  /** The lane of a span in its process, from 0; -1 if it was not placed. */
  public int lane(int span) {
    return laneOf[span];
  }

  /** How many lanes a process has. */
  public int count(int process) {
    return processes[process] == null ? 0 : processes[process].count;
  }
}
