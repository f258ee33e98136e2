package io.rollotel.examples.agentrun;

import java.util.SplittableRandom;

/**
 * Chooses the weight of a search, and learns from the result: a bandit that mostly takes the best
 * weight on average, and sometimes another.
 */
final class Policy {
  private static final double[] WEIGHTS = {1, 1.5, 3, 6};
  private static final double CURIOSITY = 0.2;

  private final SplittableRandom random;
  private final double[] sums = new double[WEIGHTS.length];
  private final int[] counts = new int[WEIGHTS.length];

  Policy(SplittableRandom random) {
    this.random = random;
  }

  /** The number of a weight. */
  int choose() {
    int best = 0;
    for (int i = 0; i < WEIGHTS.length; i++) {
      if (counts[i] == 0) {
        return i;
      }
      if (sums[i] / counts[i] > sums[best] / counts[best]) {
        best = i;
      }
    }
    return random.nextDouble() < CURIOSITY ? random.nextInt(WEIGHTS.length) : best;
  }

  double weight(int choice) {
    return WEIGHTS[choice];
  }

  void learn(int choice, double reward) {
    sums[choice] += reward;
    counts[choice]++;
  }
}
