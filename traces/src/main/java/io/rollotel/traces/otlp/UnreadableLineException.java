package io.rollotel.traces.otlp;

/** Thrown for a line that is no request; the message says why, for people. */
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

  /** Whether all is well up to the line's end, which comes too early. */
  public boolean isCutOff() {
    return isCutOff;
  }
}
