package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** The message in the body of an answer that refuses a request. */
public final class RefusalText {

  private static final int MESSAGE = 2;

  /** A proxy may answer with a whole page. */
  private static final int MOST_CHARACTERS = 1_000;

  private RefusalText() {}

  /**
   * The message of a {@code google.rpc.Status}, which OTLP has there; the whole body if it is none,
   * as from a proxy.
   */
  public static String of(byte[] body) {
    WireCursor cursor = new WireCursor();
    cursor.start(body, 0, body.length);
    String message = "";
    try {
      while (cursor.next()) {
        if (cursor.field() == MESSAGE && cursor.wireType() == WireCursor.DELIMITED) {
          int length = cursor.length();
          int at = cursor.position();
          message = new String(Arrays.copyOfRange(body, at, at + length), UTF_8);
          cursor.moveTo(at + length);
        } else {
          cursor.skip();
        }
      }
    } catch (MalformedRequestException notProtobuf) {
      message = "";
    }
    return printable(message.isEmpty() ? new String(body, UTF_8) : message);
  }

  private static String printable(String text) {
    String shown = text.replaceAll("\\p{Cntrl}", " ").trim();
    return shown.length() <= MOST_CHARACTERS ? shown : shown.substring(0, MOST_CHARACTERS) + "…";
  }
}
