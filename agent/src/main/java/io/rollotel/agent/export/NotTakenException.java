package io.rollotel.agent.export;

import java.io.IOException;

/** Somebody was there and has not taken the request; the message says all. */
final class NotTakenException extends IOException {

  private static final long serialVersionUID = 1L;

  /** What the answer means for the next attempt. */
  enum Kind {
    /** Refused for good. */
    REFUSED,
    /** Refused for now. */
    PASSING,
    /** Answered by something that does not speak the protocol. */
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
