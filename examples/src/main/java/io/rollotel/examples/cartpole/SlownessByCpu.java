package io.rollotel.examples.cartpole;

/** Computes for as long again as the call has taken. */
final class SlownessByCpu implements Slowness {
  private static final int ROUNDS = 1000;

  /** Where the result goes, so that no compiler leaves out the computation. */
  private volatile long result;

  @Override
  public void prolong(long tookNanos) {
    result = burnProcessorTime(System.nanoTime() + tookNanos, result);
  }

  private static long burnProcessorTime(long until, long start) {
    long number = start;
    while (until - System.nanoTime() > 0) {
      for (int round = 0; round < ROUNDS; round++) {
        number = number * 6364136223846793005L + 1442695040888963407L;
      }
    }
    return number;
  }
}
