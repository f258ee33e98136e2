package io.rollotel.traces.otlp;

/** Thrown for bytes that are no export request; the message says what is wrong at which byte. */
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

  /** The same without the byte, which says nothing where the request came as JSON. */
  public String what() {
    return what;
  }
}
