package io.rollotel.traces.query;

/** A query that cannot be read; the message says what to write instead. */
public final class QueryException extends Exception {

  private static final long serialVersionUID = 1;

  private final int at;

  QueryException(String message, int at) {
    super(message);
    this.at = at;
  }

  /** At which character the mistake begins; the first is 0. */
  public int at() {
    return at;
  }
}
