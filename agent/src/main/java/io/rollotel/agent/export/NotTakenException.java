package io.rollotel.agent.export;

import java.io.IOException;

/** A server answered, but did not accept the request; the message is complete. */
final class NotTakenException extends IOException {

  private static final long serialVersionUID = 1L;

  /** The consequence of the answer for the next attempt. */
  enum Kind {
    /** Refused for good. */
    REFUSED,
    /** Refused for now. */
    PASSING,
    /** The answer came from a server that does not speak the protocol. */
    FOREIGN,
    /** The port speaks another protocol than the user has set. */
    OTHER_PROTOCOL
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
