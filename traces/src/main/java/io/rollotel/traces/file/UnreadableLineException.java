package io.rollotel.traces.file;

/** Thrown for a line that is no trace request; the message says why, for people. */
final class UnreadableLineException extends Exception {

  private static final long serialVersionUID = 1L;

  UnreadableLineException(String message) {
    super(message);
  }
}
