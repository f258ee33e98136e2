package io.rollotel.agent.export;

import java.io.IOException;

/** The request was not accepted, and the reason is known; the message is complete. */
final class NotTakenException extends IOException {

  private static final long serialVersionUID = 1L;

  /** The consequence of the reason for the next attempt. */
  enum Kind {
    /** Refused for good. */
    REFUSED,
    /** Refused for now. */
    PASSING,
    /** The answer came from a server that does not speak the protocol. */
    FOREIGN,
    /** The port speaks another protocol than the user has set. */
    OTHER_PROTOCOL,
    /** This JVM cannot speak the protocol: it lacks a module. Nothing was asked. */
    MISSING_MODULE
  }

  private final Kind kind;

  NotTakenException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
