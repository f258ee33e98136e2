package io.rollotel.traces.partition;

import java.io.IOException;

/** Thrown where a file of the cache does not hold what was written to it. */
final class DamagedException extends IOException {

  private static final long serialVersionUID = 1L;
}
