package io.rollotel.examples.cartpole;

import java.util.List;

/**
 * Replaces objects of a nearly full heap for as long again as the call has taken: most of that time
 * the JVM collects garbage. It needs a heap as small as in {@link #JVM_OPTIONS}.
 */
final class SlownessByGc implements Slowness {
  /** Also sets the minimum heap: the JVM does not start if a larger one is set elsewhere. */
  static final List<String> JVM_OPTIONS = List.of("-Xms96m", "-Xmx96m");

  private static final int KEPT = 56_000;
  private static final int ENTRY_BYTES = 1000;
  private static final int REPLACED_AT_ONCE = 100;

  private final byte[][] cache = new byte[KEPT][];
  private int next;

  SlownessByGc() {
    for (int entry = 0; entry < KEPT; entry++) {
      cache[entry] = new byte[ENTRY_BYTES];
    }
  }

  @Override
  public void prolong(long tookNanos) {
    replaceEntries(System.nanoTime() + tookNanos);
  }

  private synchronized void replaceEntries(long until) {
    while (until - System.nanoTime() > 0) {
      for (int entry = 0; entry < REPLACED_AT_ONCE; entry++) {
        cache[next] = new byte[ENTRY_BYTES];
        next = (next + 1) % KEPT;
      }
    }
  }
}
