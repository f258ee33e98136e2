package io.rollotel.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** The result of reading a piece of a file. */
final class PieceCounts implements Serializable {

  /** At most this many unreadable lines are named. */
  private static final int MOST_NAMED = 20;

  /**
   * A line that was skipped.
   *
   * @param line its number in the piece, from 1; 0 if the file could not be opened
   */
  record Unreadable(long line, String reason) implements Serializable {}

  final FilePiece piece;
  final List<Unreadable> firstUnreadable = new ArrayList<>();
  long lines;
  long spans;
  long tornLines;
  long unreadableLines;

  PieceCounts(FilePiece piece) {
    this.piece = piece;
  }

  void unreadable(long line, String reason) {
    unreadableLines++;
    if (firstUnreadable.size() < MOST_NAMED) {
      firstUnreadable.add(new Unreadable(line, reason));
    }
  }
}
