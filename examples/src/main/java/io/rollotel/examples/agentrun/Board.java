package io.rollotel.examples.agentrun;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A sliding puzzle of three by three.
 *
 * @param tiles row by row, 0 for the gap
 */
record Board(String tiles) {
  static final Board SOLVED = new Board("123456780");

  private static final int SIDE = 3;

  /** A board reached by random moves, so it can be solved. */
  static Board shuffled(SplittableRandom random, int moves) {
    Board board = SOLVED;
    Board before = SOLVED;
    for (int i = 0; i < moves; i++) {
      List<Board> next = new ArrayList<>(board.neighbours());
      next.remove(before); // not back at once
      before = board;
      board = next.get(random.nextInt(next.size()));
    }
    return board;
  }

  /** The boards reachable by one move. */
  List<Board> neighbours() {
    int gap = tiles.indexOf('0');
    List<Board> next = new ArrayList<>(4);
    if (gap >= SIDE) {
      next.add(swap(gap, gap - SIDE));
    }
    if (gap < SIDE * (SIDE - 1)) {
      next.add(swap(gap, gap + SIDE));
    }
    if (gap % SIDE > 0) {
      next.add(swap(gap, gap - 1));
    }
    if (gap % SIDE < SIDE - 1) {
      next.add(swap(gap, gap + 1));
    }
    return next;
  }

  private Board swap(int gap, int tile) {
    StringBuilder moved = new StringBuilder(tiles);
    moved.setCharAt(gap, tiles.charAt(tile));
    moved.setCharAt(tile, '0');
    return new Board(moved.toString());
  }

  /** A lower bound of the remaining moves: the tiles' distances from their places. */
  int distance() {
    int distance = 0;
    for (int i = 0; i < tiles.length(); i++) {
      int tile = tiles.charAt(i) - '1';
      if (tile >= 0) {
        distance += Math.abs(i / SIDE - tile / SIDE) + Math.abs(i % SIDE - tile % SIDE);
      }
    }
    return distance;
  }

  @Override
  public String toString() {
    return tiles.substring(0, 3) + "/" + tiles.substring(3, 6) + "/" + tiles.substring(6);
  }
}
