package io.rollotel.traces.otlp;

/**
 * Thrown for bytes that are not an export request; the message gives the error and its position.
 */
public final class MalformedRequestException extends Exception {

  private static final long serialVersionUID = 1L;

  public MalformedRequestException(String what) {
    super(what);
  }

  MalformedRequestException(String what, int atByte) {
    super(what + " at byte " + atByte);
  }
}
