package io.rollotel.examples.cartpole;

import java.util.SplittableRandom;

/** Random number generators that depend on their purpose, never on the order of calls. */
final class Seeds {
  private Seeds() {}

  /** A generator for one episode; equal arguments give equal numbers. */
  static SplittableRandom generator(long seed, long step, long rank, long episode) {
    return new SplittableRandom(mix(mix(mix(mix(seed) + step) + rank) + episode));
  }

  /** The finalizer of SplitMix64: spreads neighbouring numbers over all 64 bits. */
  private static long mix(long value) {
    long mixed = value + 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
