package io.rollotel.agent.export;

import io.rollotel.agent.ledger.Ledger;

/**
 * Whether the endpoint or a line is to blame for a refusal. No status says that, and some endpoints
 * accept an empty request but no other. If several lines in a row are refused, the endpoint is
 * suspected, and nothing is given up. A line is given up only if the endpoint accepts other spans.
 * For the thread of {@link Replay}.
 */
final class Blame {

  /** If this many lines in a row are refused, the endpoint is to blame. */
  private static final int MOST_IN_A_ROW = 3;

  private final Ledger ledger;

  /** Lines that were skipped since spans were last accepted. */
  private int row;

  /** Whether several lines in a row were refused, and none was taken since. */
  private boolean isSuspected;

  /** How often spans were accepted here. */
  private long taken;

  /** How many spans had been accepted, of files and live ones, when a line was first refused. */
  private long takenAtRefusal;

  /** Consecutive lines that were given up because none of their spans was accepted. */
  private int givenUp;

  /** How many spans had been accepted when the last of these lines was given up. */
  private long takenAtGivenUp;

  /** Nothing has been refused yet. */
  Blame(Ledger ledger) {
    this.ledger = ledger;
  }

  /** A whole line was accepted, or another file begins. */
  void forget() {
    row = 0;
    isSuspected = false;
  }

  /** Lines are sent once more, apart from those before them. */
  void endRow() {
    row = 0;
  }

  /** The endpoint has accepted spans: a line, or a part of one. */
  void taken() {
    taken++;
    givenUp = 0;
  }

  /**
   * A refused line is skipped. The last line of a row brings the endpoint under suspicion.
   *
   * @return how many lines in a row were skipped
   */
  int skipped() {
    if (row == 0) {
      takenAtRefusal = takenEver();
    }
    row++;
    int skipped = row;
    if (skipped >= MOST_IN_A_ROW) {
      row = 0;
      isSuspected = true;
    }
    return skipped;
  }

  /** Whether the endpoint is suspected, so that no line is skipped. */
  boolean isSuspected() {
    return isSuspected;
  }

  /**
   * Whether the refused spans are to blame, because the endpoint has accepted others since it
   * refused them.
   */
  boolean isOfSpans() {
    return takenEver() != (givenUp < MOST_IN_A_ROW - 1 ? takenAtRefusal : takenAtGivenUp);
  }

  /**
   * A line has been sent in parts.
   *
   * @param takenSpans how many of its spans were accepted
   */
  void ended(int takenSpans) {
    if (takenSpans == 0) {
      givenUp++;
      takenAtGivenUp = takenEver();
    }
    if (isSuspected) {
      takenAtRefusal = takenEver(); // the next line is sent in parts without being skipped
    }
  }

  private long takenEver() {
    return taken + ledger.exportedSpans();
  }
}
