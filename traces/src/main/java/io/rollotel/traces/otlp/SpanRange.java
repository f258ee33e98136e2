package io.rollotel.traces.otlp;

import java.util.Arrays;

/** Cuts a request of spans into smaller ones. For one thread. */
public final class SpanRange {

  private static final int RESOURCE_SPANS = 1;
  private static final int SCOPE_SPANS = 2;
  private static final int SPANS = 2;

  private final WireCursor cursor = new WireCursor();
  private final WireBuffer wire = new WireBuffer();
  private final int from;
  private final int to;
  private int at;

  private SpanRange(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /**
   * The request with only these spans, each with its resource and scope.
   *
   * @param from the first span, counted from 0
   * @param to after the last
   * @throws MalformedRequestException if it is not a request
   */
  public static byte[] of(byte[] request, int from, int to) throws MalformedRequestException {
    SpanRange range = new SpanRange(from, to);
    range.cursor.start(request, 0, request.length);
    while (range.cursor.next()) {
      if (range.isMessage(RESOURCE_SPANS)) {
        range.nested(RESOURCE_SPANS);
      } else {
        range.cursor.skip();
      }
    }
    return Arrays.copyOf(range.wire.bytes(), range.wire.length());
  }

  private boolean isMessage(int field) {
    return cursor.field() == field && cursor.wireType() == WireCursor.DELIMITED;
  }

  /** Copies the chosen spans of a resource's scopes; everything else unchanged. */
  private void nested(int field) throws MalformedRequestException {
    int rollback = wire.length();
    int outerEnd = cursor.enter();
    int start = wire.beginMessage(field);
    boolean isScope = field == SCOPE_SPANS;
    boolean hasSpans = false;
    while (cursor.next()) {
      int number = cursor.field();
      if (!isScope && isMessage(SCOPE_SPANS)) {
        int length = wire.length();
        nested(SCOPE_SPANS);
        hasSpans |= wire.length() > length;
      } else if (isScope && isMessage(SPANS)) {
        boolean isIn = at >= from && at < to;
        at++;
        hasSpans |= isIn;
        copyIf(isIn, number);
      } else {
        copyIf(cursor.wireType() == WireCursor.DELIMITED, number);
      }
    }
    cursor.leave(outerEnd);
    if (hasSpans) {
      wire.endMessage(start);
    } else {
      wire.backTo(rollback);
    }
  }

  private void copyIf(boolean isWanted, int number) throws MalformedRequestException {
    if (!isWanted) {
      cursor.skip();
      return;
    }
    int length = cursor.length();
    int position = cursor.position();
    wire.bytes(number, Arrays.copyOfRange(cursor.bytes(), position, position + length));
    cursor.moveTo(position + length);
  }
}
