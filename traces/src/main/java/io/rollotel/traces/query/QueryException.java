package io.rollotel.traces.query;

/** Thrown for an invalid query; the message says what to write instead. */
public final class QueryException extends Exception {

  private static final long serialVersionUID = 1;

  private final int at;

  QueryException(String message, int at) {
    super(message);
    this.at = at;
  }

  /** The position of the error, counted from 0. */
  public int at() {
    return at;
  }
}
