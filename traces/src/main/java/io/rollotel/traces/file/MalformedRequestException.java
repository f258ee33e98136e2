package io.rollotel.traces.file;

/** Thrown for bytes that are no export request; the message says what is wrong at which byte. */
public final class MalformedRequestException extends Exception {

  private static final long serialVersionUID = 1L;

  MalformedRequestException(String message) {
    super(message);
  }
}
