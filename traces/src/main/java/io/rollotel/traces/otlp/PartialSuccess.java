package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * The part of an accepted request that the receiver rejected.
 *
 * @param rejected how many spans, data points or log records
 * @param message for people, may be empty
 */
public record PartialSuccess(long rejected, String message) {

  /** All was taken. */
  public static final PartialSuccess NONE = new PartialSuccess(0, "");

  /** The end of a line that is logged only for the first rejection: with its message, if any. */
  public String asFirst() {
    return message.isEmpty() ? "" : " (first: " + message + ")";
  }

  /**
   * Parses an answer in protobuf; everything was accepted unless it states otherwise, also if it
   * cannot be read.
   */
  public static PartialSuccess of(byte[] answer) {
    WireCursor cursor = new WireCursor();
    cursor.start(answer, 0, answer.length);
    long rejected = 0;
    String message = "";
    try {
      while (cursor.next()) {
        if (cursor.field() != 1 || cursor.wireType() != WireCursor.DELIMITED) {
          cursor.skip();
          continue;
        }
        int outerEnd = cursor.enter();
        while (cursor.next()) {
          if (cursor.field() == 1 && cursor.wireType() == WireCursor.VARINT) {
            rejected = cursor.varint();
          } else if (cursor.field() == 2 && cursor.wireType() == WireCursor.DELIMITED) {
            int length = cursor.length();
            int at = cursor.position();
            message = new String(Arrays.copyOfRange(cursor.bytes(), at, at + length), UTF_8);
            cursor.moveTo(at + length);
          } else {
            cursor.skip();
          }
        }
        cursor.leave(outerEnd);
      }
    } catch (MalformedRequestException another) {
      return NONE;
    }
    return rejected <= 0 ? NONE : new PartialSuccess(rejected, message);
  }
}
