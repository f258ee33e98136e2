package io.rollotel.traces.partition;

import java.io.IOException;

/** Thrown if a file of the cache does not have the contents written to it. */
final class DamagedException extends IOException {

  private static final long serialVersionUID = 1L;
}
