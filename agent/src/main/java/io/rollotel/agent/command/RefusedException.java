package io.rollotel.agent.command;

/** A JVM could not be attached to; the message says why, to the user. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1;

  RefusedException(String message) {
    super(message);
  }
}
