package io.rollotel.traces.otlp;

/** Thrown for a line that is not a request; the message says why, for users. */
public final class UnreadableLineException extends Exception {

  private static final long serialVersionUID = 1L;

  private final boolean isCutOff;

  public UnreadableLineException(String message) {
    this(message, false);
  }

  UnreadableLineException(String message, boolean isCutOff) {
    super(message);
    this.isCutOff = isCutOff;
  }

  /** Whether the line is valid but ends too early. */
  public boolean isCutOff() {
    return isCutOff;
  }
}
