package io.rollotel.traces.otlp;

/**
 * Thrown for bytes that are not an export request; the message gives the error and its position.
 */
public final class MalformedRequestException extends Exception {

  private static final long serialVersionUID = 1L;

  private final String what;

  public MalformedRequestException(String what) {
    super(what);
    this.what = what;
  }

  MalformedRequestException(String what, int atByte) {
    super(what + " at byte " + atByte);
    this.what = what;
  }

  /** The same without the position, which is meaningless for a request in JSON. */
  public String what() {
    return what;
  }
}
