package io.rollotel.traces.spans;

import java.util.BitSet;

/**
 * The names of spans in a report: as recorded, except for the two ends of a call on Ray. Like Ray's
 * own tracing, we name these {@code f ray.remote} and {@code f ray.remote_worker}; readers look for
 * {@code f}. If other spans, such as those made by hand, are named {@code f}, both ends get the
 * sender's name, so that they have a separate row.
 */
public final class CallNames {

  private static final String SENT = " ray.remote";
  private static final String EXECUTED = SENT + "_worker";

  private final StringTable texts = new StringTable();

  /** By the numbers of recorded names. */
  private final int[] numbers;

  /** The recorded names of senders. */
  private final BitSet sent = new BitSet();

  /** Processes each name once, however many spans have it. */
  CallNames(StringTable recorded) {
    this.numbers = new int[recorded.size()];
    for (int i = 0; i < numbers.length; i++) {
      String name = recorded.text(i);
      String called = called(name);
      boolean isEnd = !called.equals(name);
      boolean isTaken = isEnd && recorded.find(called) >= 0;
      numbers[i] = texts.number(isTaken ? called + SENT : called);
      sent.set(i, isEnd && name.endsWith(SENT));
    }
  }

  /** The name of the called function, for either end of a call; any other name unchanged. */
  public static String called(String recorded) {
    String end = recorded.endsWith(EXECUTED) ? EXECUTED : SENT;
    return recorded.endsWith(end) && recorded.length() > end.length()
        ? recorded.substring(0, recorded.length() - end.length())
        : recorded;
  }

  /** How many recorded names it knows. */
  int size() {
    return numbers.length;
  }

  StringTable texts() {
    return texts;
  }

  /** The number, among {@link #texts}, of the report's name for a recorded name. */
  int number(int recorded) {
    return numbers[recorded];
  }

  boolean isSent(int recorded) {
    return sent.get(recorded);
  }
}
